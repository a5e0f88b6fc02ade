"""Outlier detection by densities."""

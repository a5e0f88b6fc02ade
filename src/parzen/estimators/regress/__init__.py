"""Kernel regression and conditional densities."""

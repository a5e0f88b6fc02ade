"""Density estimators: of any family, kernel densities, histograms."""

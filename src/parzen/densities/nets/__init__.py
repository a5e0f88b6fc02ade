"""Bayes nets: directed graphs of columns, junction trees, and the densities that factorise along them."""

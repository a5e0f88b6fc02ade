"""Mixtures by EM, and k-means."""

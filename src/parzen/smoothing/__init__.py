"""Kernel smoothing: kernel functions, their sums at many points, local averages, and bandwidths."""

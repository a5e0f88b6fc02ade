"""Bayes nets as families: their statistic, their parameters, and how well a graph fits."""

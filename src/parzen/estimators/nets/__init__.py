"""Bayes nets as estimators: parameters and structures from tables, and questions to them."""

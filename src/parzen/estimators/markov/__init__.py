"""Markov chains and hidden Markov models."""

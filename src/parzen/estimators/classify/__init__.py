"""Classifiers: generative and discriminative, and decisions by a loss."""

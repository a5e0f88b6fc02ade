"""Families: hyperparameters, how they observe rows, and how they maximise a statistic into densities."""

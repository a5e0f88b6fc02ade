"""Logistic regression: the likelihood of labels given rows, whose gradient adds over blocks, and its maximum."""

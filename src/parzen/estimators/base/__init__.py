"""What all estimators share: validation of input, fitting of a family, progress, shapes of covariances."""

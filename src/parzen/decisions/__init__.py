"""From probabilities to decisions: losses, class priors, calibration, scores, p-values, explanations."""

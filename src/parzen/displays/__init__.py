"""Pictures in the manner of scikit-learn's displays: from an estimator or from predictions, numbers kept."""

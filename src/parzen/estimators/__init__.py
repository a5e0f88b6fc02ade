"""Estimators with scikit-learn's interface: parameters, validation, fitted attributes. No numerics here."""

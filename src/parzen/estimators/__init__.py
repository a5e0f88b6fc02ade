"""scikit-learn's door: parameters, validation, fitted attributes. No numerics here."""

"""Densities: K of one kind at once, evaluated, sampled, marginalised and conditioned. They know nothing of fitting."""

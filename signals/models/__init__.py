"""Fitted coefficients, as data: see `signals.logistic`."""

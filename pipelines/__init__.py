"""Readers, the steps in their order, engines, settings and the command line."""

"""Cue phrases, typical sentences and opposites, as data: see `signals.text.lexicon`."""

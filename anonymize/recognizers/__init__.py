"""Recognizers of structured identifiers, one kind a file. Each is a Presidio `EntityRecognizer`."""

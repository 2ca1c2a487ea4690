"""The second reader: a language model that confirms or rejects borderline detections, where an operator asks for it."""

"""What the detectors read from text: folding, tokens, slots, instructions, cues. Pure functions over strings."""

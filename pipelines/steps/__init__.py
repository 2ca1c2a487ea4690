"""The steps of a night, each a plain function from paths and settings to paths and counts."""

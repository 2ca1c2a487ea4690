"""Names of people, places and organisations: by cues, by models, and by having been found elsewhere in the scope."""

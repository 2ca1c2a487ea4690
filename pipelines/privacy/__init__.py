"""What a privacy officer asks for: erasure, retention, and de-identified copies of single files."""

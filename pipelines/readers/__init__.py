"""One reader a format: from a file of a landing day to native records and refusals."""

"""One file a format; `pipelines.readers.registry` lists them."""

"""From de-identified messages and events to exchanges and signals: pure functions over Polars frames, no I/O."""

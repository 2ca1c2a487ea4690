"""The command line: one file a command, and one place where errors become words."""

from pipelines.cli.app import main

__all__ = ["main"]

"""Writes the parts of the documentation that are made from the code: `make docs`."""

from pathlib import Path

from pipelines.cookbook import cookbook_markdown
from pipelines.readers.describe import formats_markdown
from schemas.versions import add_new
from warehouse.describe import tables_markdown

DOCS = Path(__file__).parents[1] / "docs"


def generated() -> dict[Path, str]:
    """The generated pages and what should stand in them."""
    return {
        DOCS / "tables.md": tables_markdown(),
        DOCS / "formats.md": formats_markdown(),
        DOCS / "cookbook.md": cookbook_markdown(),
    }


def main() -> None:
    """Write every generated page, and down the versions of the tables."""
    add_new()
    for path, text in generated().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

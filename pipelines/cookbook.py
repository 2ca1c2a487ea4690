"""The cookbook: questions with their SQL, from `docs/cookbook/recipes.yaml`, and the page that is made of them."""

from dataclasses import dataclass
from pathlib import Path

import yaml

FOLDER = Path(__file__).parents[1] / "docs" / "cookbook"
_HEAD = """# Cookbook

Twenty questions that analysts ask, the SQL that answers each, and a picture of the answer on the sample logs. Ask them
with `tacit sql`, in any DuckDB client over `warehouse.duckdb`, or from Python ([feeds.md](feeds.md)). Each query is run
by a test. [tables.md](tables.md) lists the views and the functions that the queries use.

`make cookbook` writes this page and the pictures from `docs/cookbook/recipes.yaml`. The samples are small and invented,
so the pictures show what an answer looks like, not what is true of any assistant.
"""


@dataclass(frozen=True, slots=True)
class Recipe:
    """A question and its answer.

    Attributes:
        name: Name of its picture's file.
        question: What is asked.
        says: How the answer is to be read.
        sql: The query.
        chart: What the picture shows: `kind`, and names of the answer's columns by what they are in it.
    """

    name: str
    question: str
    says: str
    sql: str
    chart: dict[str, str]

    @property
    def columns(self) -> list[str]:
        """The columns that the picture needs."""
        return [column for role, column in self.chart.items() if role != "kind"]

    @property
    def picture(self) -> Path:
        """Where the picture lies."""
        return FOLDER / f"{self.name}.svg"


def recipes() -> list[Recipe]:
    """All recipes, in their order."""
    loaded = yaml.safe_load((FOLDER / "recipes.yaml").read_text(encoding="utf-8"))
    return [Recipe(r["name"], r["question"], " ".join(r["says"].split()), r["sql"], r["chart"]) for r in loaded]


def cookbook_markdown() -> str:
    """Write `docs/cookbook.md`.

    Returns:
        Markdown, the same at every call.
    """
    parts = [_HEAD]
    for number, recipe in enumerate(recipes(), 1):
        parts += [
            f"## {number}. {recipe.question}\n",
            f"```sql\n{recipe.sql}```\n",
            f"{recipe.says}\n",
            f"![{recipe.question}](cookbook/{recipe.picture.name})\n",
        ]
    return "\n".join(parts)

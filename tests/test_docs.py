"""Documentation that cannot go stale: what it shows is run, and what it lists is compared."""

import re

import pytest
from typer.testing import CliRunner

from pipelines.cli.app import app
from pipelines.docs import generated
from schemas.contract import tables
from schemas.enums import EventKind, Role, Signal, Status
from tests.conftest import REPOSITORY
from warehouse.query import run_query

README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
QUERIES = re.findall(r"```sql\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("query", QUERIES)
def test_every_query_of_the_readme_has_an_answer(query, sample_night):
    assert run_query(sample_night.warehouse, query).height > 0


def test_generated_pages_are_up_to_date():
    for path, text in generated().items():
        assert path.read_text(encoding="utf-8") == text, f"run `make docs` for {path.name}"


def test_the_readme_lists_every_command_and_no_other():
    listed = set(re.findall(r"^\| `tacit (\w[\w-]*)", README, re.MULTILINE))
    shown = set(re.findall(r"^│ (\w[\w-]*) ", CliRunner().invoke(app, ["--help"]).output, re.MULTILINE))
    assert listed == shown


def test_the_readme_lists_every_table_and_signal():
    for name in tables():
        assert f"| `{name}` |" in README
    for signal in Signal:
        assert f"| **{signal.capitalize()}** |" in README


def test_every_make_target_that_is_named_exists():
    makefile = (REPOSITORY / "Makefile").read_text()
    pages = [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *(REPOSITORY / "docs").glob("*.md")]
    named = {t for page in pages for t in re.findall(r"`?make ([a-z-]+)", page.read_text(encoding="utf-8"))}
    for target in named & set(re.findall(r"make ([a-z-]+)`", "".join(p.read_text() for p in pages))):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_every_relative_link_leads_somewhere():
    for page in [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *(REPOSITORY / "docs").glob("*.md")]:
        for target in re.findall(r"\]\((?!http)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), (page.name, target)


def test_the_format_page_lists_the_whole_vocabulary():
    page = (REPOSITORY / "docs" / "landing-format.md").read_text(encoding="utf-8")
    for member in (*Role, *Status, *EventKind):
        assert f"`{member}`" in page, member

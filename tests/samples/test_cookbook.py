"""The cookbook's queries run on the sample logs and give what their pictures show."""

import re

import pytest

from pipelines.cookbook import FOLDER, recipes
from tests.conftest import REPOSITORY
from warehouse.query import run_query

RECIPES = recipes()
PAGE = (REPOSITORY / "docs" / "cookbook.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("recipe", RECIPES, ids=[recipe.name for recipe in RECIPES])
def test_a_recipe_has_an_answer_with_the_columns_of_its_picture(recipe, sample_night):
    answer = run_query(sample_night.warehouse, recipe.sql)
    assert not answer.is_empty()
    assert set(recipe.columns) <= set(answer.columns)
    for column in recipe.columns:
        assert answer[column].null_count() < answer.height, column


@pytest.mark.parametrize("recipe", RECIPES, ids=[recipe.name for recipe in RECIPES])
def test_a_recipe_has_a_small_picture_that_holds_its_data(recipe):
    picture = recipe.picture.read_text(encoding="utf-8")
    assert picture.startswith("<svg")
    assert len(picture) < 60_000
    assert len(re.findall(r"<(?:path|text)\b", picture)) > 5
    assert f"![{recipe.question}](cookbook/{recipe.name}.svg)" in PAGE


def test_there_are_twenty_questions_and_no_picture_of_none():
    assert len(RECIPES) == 20
    assert len({recipe.question for recipe in RECIPES}) == 20
    assert {p.name for p in FOLDER.glob("*.svg")} == {f"{recipe.name}.svg" for recipe in RECIPES}

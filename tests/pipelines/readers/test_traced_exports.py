"""Real exports of tracers, where they lie beside the checkout: what was said is found in each of them."""

import os
from datetime import date
from pathlib import Path

import pytest

from pipelines.readers.calls import assemble
from pipelines.readers.items import Call, Remark
from pipelines.readers.raw import Place
from pipelines.readers.spans import merge_calls
from schemas.enums import Role
from tests.pipelines.readers.kit import items_of, refusals

FORMATS = Path(os.environ.get("TACIT_FORMATS", "../shared/formats"))
TRACES = ("claude-agent", "langgraph", "openai-assistants", "pydantic-ai-tools", "vercel-aisdk")


def found(pattern: str) -> Path:
    """The file that matches, or a skipped test."""
    path = next(iter(sorted(FORMATS.glob(pattern))), None)
    if path is None:
        pytest.skip(f"no {pattern} under {FORMATS}")
    return path


def said(path: Path) -> list[tuple[Role, bool]]:
    """Who said something in the conversation of a file, and whether it has words, tools and prompts left out."""
    items = items_of(path, day=date(2026, 11, 2))
    assert not refusals(items)
    place = Place(path.name, 1, 0, 1, "d")
    calls, _ = merge_calls([(i, place) for i in items if isinstance(i, Call)])
    made = assemble(calls, [(i, place) for i in items if isinstance(i, Remark)])
    assert not made.events  # the scores in these files are those of judges
    spoken = [m for m, _ in made.messages if m.role is Role.USER or (m.role is Role.ASSISTANT and m.completed_at)]
    return [(m.role, bool(m.content)) for m in spoken]


@pytest.mark.gold
@pytest.mark.parametrize("integration", TRACES)
def test_a_trace_of_langfuse_is_one_request_and_its_answer(integration: str) -> None:
    answered = integration != "vercel-aisdk"  # this one ends with the call of a tool
    assert said(found(f"langfuse_trace_{integration}-*.json")) == [(Role.USER, True), (Role.ASSISTANT, answered)]


@pytest.mark.gold
def test_recorded_traffic_of_the_langsmith_sdk_is_one_request_and_its_answer() -> None:
    assert said(found("langsmith_wrap_openai_stream.json")) == [(Role.USER, True), (Role.ASSISTANT, True)]


@pytest.mark.gold
def test_a_score_of_langfuse_is_a_vote() -> None:
    (vote,) = items_of(found("samples/langfuse_score.json"))
    assert isinstance(vote, Remark)
    assert vote.event.value == "thumbs_down"

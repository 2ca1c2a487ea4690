"""The labels and conversations that were made for this project, and the measure of how far their readers agree."""

import json
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from learning import WRITTEN  # noqa: E402 -- lies beside the benchmarks

SIGNALS = {"complain", "failure_report", "rephrase", "repeat", "dismiss"}


SETS = pytest.mark.parametrize("name", ["read_sharegpt", "read_more", "read_later"])


def rows(name, end):
    return [json.loads(line) for line in (BENCHMARKS / "labels" / f"{name}.{end}.jsonl").open(encoding="utf-8")]


@SETS
def test_every_label_stands_in_an_excerpt_and_says_how_many_readers_gave_it(name):
    excerpts = {e["conversation_id"]: e for e in rows(name, "excerpts")}
    for label in rows(name, "labels"):
        excerpt = excerpts[label["conversation_id"]]
        assert excerpt["first"] < int(label["message_id"][1:]) <= excerpt["last"]
        assert label["signal"] in SIGNALS
        assert 1 <= label["readers"] <= excerpt["readings"]
        assert label["readers"] == excerpt["readings"] or not label["sure"]


@SETS
def test_an_excerpt_is_drawn_once_and_no_text_stands_beside_it(name):
    excerpts = rows(name, "excerpts")
    assert len({e["conversation_id"] for e in excerpts}) == len(excerpts)
    assert all(e.keys() == {"conversation_id", "first", "last", "readings", "sample"} for e in excerpts)
    assert all(
        label.keys() == {"conversation_id", "message_id", "signal", "about", "sure", "readers"}
        for label in rows(name, "labels")
    )


def test_readers_who_agree_on_everything_have_a_kappa_of_one_and_by_chance_of_none():
    from read_sharegpt import agreement

    messages = {("c", f"m{n}") for n in range(100)}

    def given(both, one):
        return [
            {"conversation_id": "c", "message_id": f"m{n}", "signal": "repeat", "readers": 2 if n < both else 1}
            for n in range(both + one)
        ]

    assert agreement(messages, given(10, 0)) == {"repeat": pytest.approx(1.0)}
    # Both give it to half of the messages, and agree on half of those.
    assert agreement(messages, given(25, 50)) == {"repeat": pytest.approx(0.0)}
    assert 0.5 < agreement(messages, given(8, 4))["repeat"] < 1.0


@pytest.mark.parametrize("name", WRITTEN)
def test_written_conversations_alternate_and_carry_labels_on_users_answers_alone(name, tmp_path):
    from written import lay_out

    lay_out(name, tmp_path)
    records = [json.loads(line) for line in (tmp_path / f"{name}.jsonl").open(encoding="utf-8")]
    labels = [json.loads(line) for line in (tmp_path / f"{name}.labels.jsonl").open(encoding="utf-8")]
    written = (json.loads(line) for line in (BENCHMARKS / "labels" / f"{name}.jsonl").open(encoding="utf-8"))
    readings = {c["conversation_id"]: c.get("readings", 2) for c in written}
    roles = {(r["conversation_id"], r["message_id"]): r["role"] for r in records}
    assert {c for c, _ in roles} == readings.keys()
    assert all(r["role"] == ("user", "assistant")[r["seq"] % 2] for r in records)
    assert all(r["content"].strip() for r in records)
    assert labels
    for label in labels:
        assert label["signal"] in SIGNALS
        assert roles[label["conversation_id"], label["message_id"]] == "user"
        assert roles[label["conversation_id"], label["about"]] == "assistant"
        assert 1 <= label["readers"] <= readings[label["conversation_id"]]
        assert label["readers"] == readings[label["conversation_id"]] or not label["sure"]

"""Errors that nobody foresaw say where, and never what."""

import pickle
from datetime import date

import polars as pl
import pytest

from pipelines.engine import pool_of
from pipelines.faults import without_values
from pipelines.readers.landing import origin_named, reading
from pipelines.steps.work import write_work
from schemas.errors import ConfigError, Fault, LandingError, WarehouseFault

SECRET = "li.si@example.com"


@without_values
def choke(unit: str) -> str:
    raise ValueError(f"cannot read {unit}")


@without_values
def refuse(_: str) -> str:
    raise ConfigError("No.", state="Nothing.", then="Ask.")


def whole(error: BaseException) -> str:
    """All that a logger could get hold of: messages and notes of the error and of all that is chained to it."""
    seen = []
    while error is not None:
        seen += [repr(error), str(error), *getattr(error, "__notes__", [])]
        error = error.__cause__ or error.__context__
    return "".join(seen)


def test_an_unforeseen_error_keeps_its_kind_and_place_and_loses_its_message():
    with pytest.raises(Fault) as caught:
        choke(SECRET)
    assert "ValueError" in str(caught.value)
    assert "test_faults.py" in str(caught.value)
    assert SECRET not in whole(caught.value)


def test_so_it_does_on_its_way_out_of_a_worker_process():
    with pytest.raises(Fault) as caught, pool_of(2) as pool:
        pool.map(choke, [SECRET] * 3, lambda _: None)
    assert SECRET not in whole(caught.value)


def test_our_own_errors_pass_whole_and_survive_pickling():
    with pytest.raises(ConfigError) as caught:
        refuse("x")
    copy = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 - our own bytes
    assert (type(copy), copy.what, copy.state, copy.then) == (ConfigError, "No.", "Nothing.", "Ask.")


def _open(origin, day):
    with reading(origin.name, day):
        origin.open()


def test_a_file_that_the_disk_refuses_is_an_error_and_not_a_quarantine(tmp_path):
    day = date(2026, 11, 2)
    (tmp_path / f"dt={day}").mkdir()
    (tmp_path / f"dt={day}" / "a.jsonl").write_bytes(b"{}")
    origin = origin_named(tmp_path, day, "a.jsonl")
    origin.path.unlink()
    with pytest.raises(LandingError, match=r"The file a\.jsonl of .* cannot be read \(FileNotFoundError\)"):
        _open(origin, day)


def test_a_full_disk_is_named_as_one(tmp_path, monkeypatch):
    def full(*_, **__):
        raise pl.exceptions.ComputeError("sink_parquet: No space left on device (os error 28)")

    monkeypatch.setattr(pl.DataFrame, "write_parquet", full)
    with pytest.raises(WarehouseFault, match="the disk is full"):
        write_work(pl.DataFrame({"a": [1]}), tmp_path / "x" / "a.parquet")

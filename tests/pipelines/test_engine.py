import os

import pytest

from pipelines.engine import pool_of
from schemas.errors import ConfigError, TacitError


def square(n):
    return n * n


def fail_on_three(n):
    if n == 3:
        raise ConfigError("Three is not allowed.", state="Nothing happened.", then="Take four.")
    return n


def die(n):
    if n == 1:
        os._exit(9)
    return n


def test_results_come_in_the_order_of_the_units_on_one_process_and_on_two():
    for processes in (1, 2):
        seen = []
        with pool_of(processes) as pool:
            assert pool.map(square, range(6), seen.append) == [0, 1, 4, 9, 16, 25]
        assert sorted(seen) == [0, 1, 4, 9, 16, 25]


def test_an_error_of_a_unit_crosses_the_process_boundary_whole():
    with pool_of(2) as pool, pytest.raises(ConfigError) as caught:
        pool.map(fail_on_three, range(5), lambda _: None)
    assert (caught.value.code, caught.value.then) == ("config", "Take four.")


def test_a_worker_that_dies_is_an_error_that_says_what_to_do():
    with pool_of(2) as pool, pytest.raises(TacitError, match="fewer --workers"):
        pool.map(die, range(4), lambda _: None)


def test_the_environment_is_as_before_afterwards(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("POLARS_MAX_THREADS", raising=False)
    with pool_of(2):
        assert os.environ["OMP_NUM_THREADS"] == "1"
    assert os.environ["OMP_NUM_THREADS"] == "7"
    assert "POLARS_MAX_THREADS" not in os.environ

import multiprocessing
import os
import sqlite3

import numpy as np
import pytest

from pipelines.encoders import cached_encoder
from pipelines.vectors import CachedEncoder, VectorCache

TEXTS = ["how tall is it", "今天天气怎么样", "a <PERSON_x7k2mq> b"]


class Counting:
    """An encoder that says what it was asked to encode; its vectors are made of the text alone."""

    name, revision, digest = "counting", "1", "c0ffee"

    def __init__(self):
        self.asked = []

    def encode(self, texts):
        self.asked.append(list(texts))
        if not texts:
            return np.zeros((0, 8), dtype=np.float32)
        rows = [np.random.default_rng(len(t) * 1000 + sum(t.encode())).normal(size=8) for t in texts]
        return np.stack([row / np.linalg.norm(row) for row in rows]).astype(np.float32)


@pytest.fixture
def counting():
    return Counting()


def cache_in(folder, limit=1 << 20, digest="model"):
    return VectorCache(folder / "vectors", digest, limit)


def rows(cache):
    with sqlite3.connect(cache.path) as con:
        return con.execute("SELECT key, vector, seal FROM vectors ORDER BY rowid").fetchall()


def test_a_text_is_encoded_once_for_all_runs(tmp_path, counting):
    first = CachedEncoder(counting, cache_in(tmp_path)).encode(TEXTS)
    assert counting.asked == [[text] for text in TEXTS]
    second = CachedEncoder(counting, cache_in(tmp_path)).encode([*TEXTS[::-1], TEXTS[0]])
    assert len(counting.asked) == len(TEXTS)
    assert np.array_equal(second, first[[2, 1, 0, 0]])
    assert (counting.name, counting.revision) == ("counting", "1")


def test_another_models_vectors_are_not_taken(tmp_path, counting):
    CachedEncoder(counting, cache_in(tmp_path)).encode(TEXTS)
    CachedEncoder(counting, cache_in(tmp_path, digest="other")).encode(TEXTS)
    assert len(counting.asked) == 2 * len(TEXTS)


def test_what_is_kept_holds_no_text_and_is_for_its_owner_alone(tmp_path, counting):
    cache = cache_in(tmp_path)
    CachedEncoder(counting, cache).encode(TEXTS)
    data = cache.path.read_bytes()
    assert not any(text.encode() in data for text in TEXTS)
    assert cache.path.stat().st_mode & 0o077 == 0
    assert cache.path.parent.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE vectors SET vector = zeroblob(32) WHERE rowid = 2",
        "UPDATE vectors SET vector = substr(vector, 1, 8) WHERE rowid = 2",
        "UPDATE vectors SET seal = x'00' WHERE rowid = 2",
        "UPDATE vectors SET vector = 'text' WHERE rowid = 2",
        "UPDATE vectors SET vector = (SELECT vector FROM vectors WHERE rowid = 1) WHERE rowid = 2",
        "DELETE FROM vectors WHERE rowid = 2",
    ],
)
def test_a_damaged_entry_is_ignored_and_mended(tmp_path, counting, damage):
    cache = cache_in(tmp_path)
    right = CachedEncoder(counting, cache).encode(TEXTS)
    with sqlite3.connect(cache.path) as con:
        con.execute(damage)
    assert np.array_equal(CachedEncoder(counting, cache_in(tmp_path)).encode(TEXTS), right)
    assert counting.asked[len(TEXTS) :] == [[TEXTS[1]]]
    assert np.array_equal(CachedEncoder(counting, cache_in(tmp_path)).encode(TEXTS), right)
    assert len(counting.asked) == len(TEXTS) + 1


@pytest.mark.parametrize("keep", [0, 100, 4096 + 17])
def test_a_damaged_file_is_replaced(tmp_path, counting, keep):
    cache = cache_in(tmp_path)
    right = CachedEncoder(counting, cache).encode(TEXTS)
    cache.close()
    good = cache.path.read_bytes()
    cache.path.write_bytes(good[:keep] + os.urandom(len(good) - keep))
    for _ in range(2):
        assert np.array_equal(CachedEncoder(counting, cache_in(tmp_path)).encode(TEXTS), right)
    calls = len(counting.asked)
    assert np.array_equal(CachedEncoder(counting, cache_in(tmp_path)).encode(TEXTS), right)
    assert len(counting.asked) == calls


def test_the_file_stays_within_its_bound_and_keeps_the_newest(tmp_path, counting):
    limit = 256 << 10
    cache = cache_in(tmp_path, limit)
    encoder = CachedEncoder(counting, cache)
    for start in range(0, 6000, 500):
        encoder.encode([f"text number {n}" for n in range(start, start + 500)])
        assert cache.path.stat().st_size <= limit
    assert 500 < len(rows(cache)) < 6000
    calls = len(counting.asked)
    encoder.encode([f"text number {n}" for n in range(5900, 6000)])
    assert len(counting.asked) == calls


def test_more_texts_in_one_call_than_there_is_room_for_do_no_harm(tmp_path, counting):
    cache = cache_in(tmp_path, 64 << 10)
    texts = [f"text number {n}" for n in range(3000)]
    assert CachedEncoder(counting, cache).encode(texts).shape == (3000, 8)
    assert cache.path.stat().st_size <= 64 << 10


def test_files_of_other_models_make_room(tmp_path, counting):
    old = cache_in(tmp_path, digest="old")
    CachedEncoder(counting, old).encode([f"text number {n}" for n in range(2000)])
    assert old.path.stat().st_size > 100 << 10
    CachedEncoder(counting, cache_in(tmp_path, 100 << 10, digest="new")).encode(TEXTS)
    assert not old.path.exists()


def test_a_home_that_cannot_be_written_leaves_the_encoder_working(tmp_path, counting):
    (tmp_path / "vectors").write_text("a file where the folder should be")
    assert CachedEncoder(counting, cache_in(tmp_path)).encode(TEXTS).shape == (3, 8)


def test_vectors_that_are_not_finite_are_not_kept(tmp_path):
    cache = cache_in(tmp_path)
    cache.put({"x": np.full(8, np.nan, dtype=np.float32), "y": np.ones(8, dtype=np.float32)})
    assert list(cache.get(["x", "y"])) == ["y"]


def _work(folder, start):
    encoder = CachedEncoder(Counting(), VectorCache(folder / "vectors", "model", 1 << 20))
    for n in range(start, start + 120, 4):
        texts = [f"shared {k}" for k in range(n, n + 8)]
        if not np.array_equal(encoder.encode(texts), Counting().encode(texts)):
            raise SystemExit(1)


def test_processes_share_one_file(tmp_path):
    context = multiprocessing.get_context("fork")
    cache = cache_in(tmp_path)
    CachedEncoder(Counting(), cache).encode(TEXTS)  # a connection that the children must not use
    workers = [context.Process(target=_work, args=(tmp_path, 20 * n)) for n in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0] * 4
    kept = cache.get([f"shared {k}" for k in range(180)])
    assert len(kept) == 180
    assert not np.isnan(np.stack(list(kept.values()))).any()


def test_nothing_is_kept_where_it_is_switched_off(tmp_path):
    encoder = cached_encoder("use-multilingual", tmp_path, 0)
    encoder.encode(TEXTS)
    assert list(tmp_path.iterdir()) == []


def test_with_a_cache_a_vector_depends_on_its_text_alone(tmp_path):
    cold = cached_encoder("use-multilingual", tmp_path / "a", 8)
    warm = cached_encoder("use-multilingual", tmp_path / "b", 8)
    warm.encode(TEXTS[:1])
    assert np.array_equal(cold.encode(TEXTS), warm.encode(TEXTS))
    assert np.array_equal(cold.encode(TEXTS), cached_encoder("use-multilingual", tmp_path / "a", 8).encode(TEXTS))

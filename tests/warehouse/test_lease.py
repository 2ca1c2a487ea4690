"""The writer's lock of a warehouse on object storage: one at a time, whatever clocks say and whoever dies."""

import subprocess
import sys
import textwrap
import time
from itertools import count

import pytest

from schemas.errors import WarehouseBusy, WarehouseFault
from warehouse import lease
from warehouse.lease import Lease
from warehouse.store import Store

_numbers = count()


@pytest.fixture
def url(bucket) -> str:
    return f"{bucket}/some/prefix"


def test_many_writers_that_begin_together_hold_one_after_the_other(url):
    store = Store(url)
    script = f"""
        import sys, time
        from warehouse.lease import Lease
        from warehouse.store import Store
        from schemas.errors import WarehouseBusy
        store = Store({url!r})
        store.listing()
        print("ready", flush=True); sys.stdin.readline()
        try:
            held = Lease(store)
        except WarehouseBusy:
            print("busy", flush=True)
        else:
            held.require(); print("held", flush=True); sys.stdin.readline()
    """
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    assert [r.stdout.readline() for r in racers] == ["ready\n"] * 3
    for racer in racers:
        racer.stdin.write("go\n")
        racer.stdin.flush()
    said = sorted(r.stdout.readline() for r in racers)
    for racer in racers:
        racer.kill()
        racer.communicate()
    assert said == ["busy\n", "busy\n", "held\n"]
    with pytest.raises(WarehouseBusy):
        Lease(store)


def test_a_dead_writer_is_followed_once_its_time_is_over_and_not_before(url):
    dead = Lease(Store(url), seconds=4)
    dead._ended.set()
    with pytest.raises(WarehouseBusy):
        Lease(Store(url), seconds=4)
    time.sleep(4.1)
    after = Lease(Store(url), seconds=4)
    after.require()
    time.sleep(1.5)
    after.require()
    with pytest.raises(WarehouseBusy, match="could not renew"):
        dead.require()
    after.release()
    Lease(Store(url), seconds=4).release()


def test_a_living_writer_whose_clock_is_behind_is_not_robbed(url, monkeypatch):
    monkeypatch.setattr(Lease, "_until", lambda _self: lease.datetime(2020, 1, 1, tzinfo=lease.UTC))
    monkeypatch.setattr(Lease, "_text", _with_a_nonce)
    living = Lease(Store(url), seconds=4)
    with pytest.raises(WarehouseBusy):
        Lease(Store(url), seconds=4)
    living.require()
    living.release()


_text = Lease._text


def _with_a_nonce(self, until):
    """As a renewal differs from the one before it, where the clock goes on."""
    return _text(self, until and until.replace(year=2000 + next(_numbers)))


def test_a_store_without_conditional_writes_cannot_hold_a_lock(url, monkeypatch):
    monkeypatch.setattr(Store, "create", lambda self, key, data: self.put(key, data) is None)
    with pytest.raises(WarehouseFault, match="can hold no lock"):
        Lease(Store(url))

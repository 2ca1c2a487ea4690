"""A warehouse on object storage, against a server that speaks the S3 protocol."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import frames
import polars as pl
import pytest

from schemas.errors import ConfigError, WarehouseBusy, WarehouseFault
from warehouse import copy, lease
from warehouse.catalogue import rebuild
from warehouse.copy import pull
from warehouse.layout import Warehouse
from warehouse.ledger import attach
from warehouse.publish import publish
from warehouse.query import run_query
from warehouse.stage import Stage, sweep
from warehouse.store import Store

DAY = frames.DAY
HERE = Path(__file__).parent


@pytest.fixture
def url(bucket) -> str:
    return f"{bucket}/some/prefix"


@pytest.fixture
def copy_in(tmp_path, url):
    """Makes working copies of the same warehouse, each as another machine would have it."""

    def make(name: str) -> Warehouse:
        attach(tmp_path / name, url)
        return Warehouse(tmp_path / name)

    return make


def night(warehouse: Warehouse, text: str = "new", on_step=lambda _: None) -> None:
    with warehouse.writer():
        sweep(warehouse)
        with Stage(warehouse, "night") as stage:
            staged = [
                stage.write("messages", DAY, frames.messages(text=text), {}),
                stage.write("signals", DAY, frames.signals().with_columns(rule=pl.lit(text)), {}),
            ]
            publish(warehouse, staged, on_step=on_step)


def objects(url: str) -> dict[str, bytes]:
    store = Store(url)
    return {key: store.get(key) for key in store.listing() if not key.startswith(".locks/")}


def files(warehouse: Warehouse) -> dict[str, bytes]:
    return {p.relative_to(warehouse.root).as_posix(): p.read_bytes() for p in warehouse.root.glob("*/dt=*/*.parquet")}


def test_what_one_machine_publishes_another_reads(copy_in, url):
    one, two = copy_in("one"), copy_in("two")
    night(one)
    assert set(objects(url)) == {f"{t}/dt={DAY}/part.parquet" for t in ("messages", "signals")}
    assert objects(url) == files(one)
    assert two.days("messages") == []
    assert pull(two.root) == 2
    assert files(two) == files(one)
    assert pull(two.root) == 0
    rebuild(two)
    assert run_query(two, "SELECT count(*) AS n FROM messages")["n"].to_list() == [6]
    night(two, "newer")
    assert pull(one.root) == 2
    assert files(one) == files(two) == objects(url)


def test_a_store_that_is_no_copy_of_the_folder_is_refused(copy_in, url, tmp_path):
    night(copy_in("one"))
    with pytest.raises(ConfigError, match="another store"):
        attach(tmp_path / "one", url + "-other")
    own = Warehouse(tmp_path / "own")
    with Stage(own, "r") as stage:
        publish(own, [stage.write("messages", DAY, frames.messages(), {})])
    with pytest.raises(ConfigError, match="came from no store"):
        attach(own.root, url)


def test_of_two_writers_at_once_one_is_told_so(copy_in):
    one, two = copy_in("one"), copy_in("two")
    with one.writer(), pytest.raises(WarehouseBusy, match=rf"process {os.getpid()} on"), two.writer():
        pass
    with two.writer():
        pass
    night(one)
    night(two)


def test_a_writer_that_was_replaced_publishes_nothing_more(copy_in, url):
    one, two = copy_in("one"), copy_in("two")
    night(two, "old")
    before = objects(url)

    def lose(step: str) -> None:
        if step == "verified":
            copy._leases[one.root.absolute()]._lost = True

    with pytest.raises(WarehouseBusy, match="could not renew"):
        night(one, "new", lose)
    assert objects(url) == before


def test_stopping_at_any_step_then_running_again_gives_the_same_objects(copy_in, url):
    clean, steps = copy_in("clean"), []
    night(clean, "old")
    night(clean, "new", steps.append)
    right = objects(url)
    assert [s for s in steps if s.endswith("put")] != []
    for stop in (n for n, step in enumerate(steps) if step.endswith(("put", "renamed", "verified"))):
        night(clean, "old")
        broken, seen = copy_in(f"stop-{stop}"), []

        def abort(step: str, seen: list[str] = seen, stop: int = stop) -> None:
            seen.append(step)
            if len(seen) > stop:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            night(broken, "new", abort)
        pull(broken.root)
        assert files(broken) == objects(url), "the copy knows what it lacks"
        other = copy_in(f"after-{stop}")
        pull(other.root)
        other.verify()
        night(other if stop % 2 else broken, "new")
        assert objects(url) == right, steps[stop]


def test_killed_between_two_puts_another_machine_goes_on(copy_in, url, monkeypatch):
    one, two = copy_in("one"), copy_in("two")
    night(one, "old")
    night(one, "new")
    right = objects(url)
    night(one, "old")
    script = f"""
        import os, signal, sys
        from pathlib import Path
        sys.path.insert(0, {str(HERE)!r})
        from test_object_storage import night
        from warehouse import lease
        from warehouse.layout import Warehouse
        lease.LEASE_S = 2.0
        def die(step):
            if step.startswith("signals") or step.endswith("synced"):
                os.kill(os.getpid(), signal.SIGKILL)
        night(Warehouse(Path({str(one.root)!r})), "new", die)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert objects(url) != right
    monkeypatch.setattr(lease, "LEASE_S", 2.0)
    pull(two.root)
    two.verify()
    time.sleep(2)
    night(two, "new")
    assert objects(url) == right
    night(one, "new")
    assert files(one) == right


def test_a_put_that_fails_says_how_far_it_came_and_the_next_run_mends_it(copy_in, url, monkeypatch):
    one = copy_in("one")
    night(one, "old")
    upload = Store.upload

    def refuse(self: Store, key: str, path: Path) -> None:
        if key.startswith("signals"):
            raise WarehouseFault("Writing failed.", state="Whole.", then="Again.")
        upload(self, key, path)

    night(one, "new")
    right = objects(url)
    night(one, "old")
    with one.writer(), Stage(one, "r") as stage:
        staged = [
            stage.write("messages", DAY, frames.messages(text="new"), {}),
            stage.write("signals", DAY, frames.signals().head(0), {}),
        ]
        monkeypatch.setattr(Store, "upload", refuse)
        with pytest.raises(WarehouseFault, match=r"1 of 2 partitions were published; each is whole"):
            publish(one, staged)
    monkeypatch.setattr(Store, "upload", upload)
    one.verify()
    night(one, "new")
    assert objects(url) == right


def test_bytes_that_the_store_does_not_give_back_are_noticed(copy_in, monkeypatch):
    one = copy_in("one")
    fetch = Store.fetch

    def bend(self: Store, key: str, path: Path) -> str:
        version = fetch(self, key, path)
        path.write_bytes(path.read_bytes()[:-1] + b"?")
        return version

    monkeypatch.setattr(Store, "fetch", bend)
    with pytest.raises(WarehouseFault, match="gave back other bytes"):
        night(one)
    assert one.days("messages") == []


def test_an_object_that_is_replaced_while_it_is_read_is_read_again(url, tmp_path, monkeypatch):
    store = Store(url)
    store.put("some", b"old" * 1000)
    system = store._place[0]
    get_file, replaced = system.get_file, []

    def meanwhile(path: str, local: str) -> None:
        get_file(path, local)
        if not replaced:
            replaced.append(store.put("some", b"new" * 1000))

    monkeypatch.setattr(system, "get_file", meanwhile)
    assert store.fetch("some", tmp_path / "some") == store.listing()["some"]
    assert (tmp_path / "some").read_bytes() == b"new" * 1000


def test_parts_of_an_upload_that_was_killed_are_swept_and_those_of_others_are_not(copy_in, url):
    store = Store(url)
    system, prefix = store._place
    bucket, _, folder = prefix.partition("/")
    for key in (f"{folder}/messages/dt=2026-01-01/part.parquet", "another/warehouse"):
        begun = system.call_s3("create_multipart_upload", Bucket=bucket, Key=key)
        system.call_s3("upload_part", Bucket=bucket, Key=key, UploadId=begun["UploadId"], PartNumber=1, Body=b"x")
    night(copy_in("one"))
    assert [u["Key"] for u in system.list_multipart_uploads(bucket)] == ["another/warehouse"]


def test_a_long_object_is_one_version_though_it_goes_in_parts(url, tmp_path):
    store = Store(url)
    store._place[0].default_block_size = 5 * 2**20
    sent, came = tmp_path / "sent", tmp_path / "came"
    sent.write_bytes(os.urandom(12 * 2**20))
    store._place[0].put_file(str(sent), store._path("long"), chunksize=5 * 2**20)
    assert store.fetch("long", came) == store.listing()["long"]
    assert came.read_bytes() == sent.read_bytes()


def test_what_is_withdrawn_does_not_come_back(copy_in, url):
    one, two = copy_in("one"), copy_in("two")
    night(one)
    pull(two.root)
    with one.writer():
        copy.withdraw(one.root, one.path("signals", DAY))
        one.path("signals", DAY).unlink()
    assert pull(one.root) == 0
    assert pull(two.root) == 1
    assert two.days("signals") == []
    assert set(objects(url)) == {f"messages/dt={DAY}/part.parquet"}


def test_a_store_that_is_not_there_is_named_without_its_secrets(tmp_path, url, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    attach(tmp_path / "one", url)
    with pytest.raises(WarehouseFault, match="failed: ") as caught:
        Store(url).listing()
    assert "invented" not in str(caught.value)


@pytest.mark.usefixtures("bucket")
def test_a_bucket_that_is_not_there_is_named():
    with pytest.raises(WarehouseFault, match="Listing s3://no-such-bucket/x failed: there is no such bucket"):
        Store("s3://no-such-bucket/x").listing()
    with pytest.raises(WarehouseFault, match="Writing"):
        Store("s3://no-such-bucket/x").create("lock", b"")


def test_a_folder_is_no_store(tmp_path):
    with pytest.raises(ConfigError, match="names a folder"):
        Store(f"file://{tmp_path}").listing()


def test_a_kind_of_store_that_is_not_installed_is_named():
    with pytest.raises(ConfigError, match="nowhere://"):
        Store("nowhere://x/y").listing()

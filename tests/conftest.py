"""A night over the sample logs, run once for all tests that look at its results."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from anonymize.keys import create_key
from pipelines.night import NightReport, run_night
from pipelines.readers.landing import landing_days
from pipelines.settings import Settings, load_settings
from warehouse import ledger
from warehouse.layout import Warehouse
from warehouse.store import Store

# One width of what commands print, whichever process a test runs in. Set before the first of them is imported.
os.environ["COLUMNS"] = "200"

# The same examples at every run, and no verdict on how long a loaded machine takes to make them.
hypothesis_settings.register_profile("steady", derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
hypothesis_settings.load_profile("steady")

REPOSITORY = Path(__file__).parents[1]
SAMPLES = REPOSITORY / "samples"
_buckets = count()


@pytest.fixture(autouse=True)
def no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests see the defaults, whatever the developer's environment holds."""
    for name in [n for n in os.environ if n.startswith("TACIT_")]:
        monkeypatch.delenv(name)


@dataclass(frozen=True)
class Night:
    """A finished night.

    Attributes:
        settings: The settings that it ran with.
        report: What it reported.
        warehouse: Its tables.
    """

    settings: Settings
    report: NightReport
    warehouse: Warehouse


def settings_for(folder: Path, **flags: object) -> Settings:
    """Settings of a run in a folder of its own, with a key."""
    given = {"landing": SAMPLES / "landing", "warehouse": folder / "warehouse", "home": folder / "home"}
    settings = load_settings(given | flags).settings
    if not settings.key_path.exists():
        create_key(settings.key_path)
    return settings


@pytest.fixture(scope="session")
def sample_night(tmp_path_factory: pytest.TempPathFactory) -> Night:
    """All sample days, run together in this process. Tests must not write to its warehouse."""
    settings = settings_for(tmp_path_factory.mktemp("night"), workers=1)
    report = run_night(settings, landing_days(settings.landing))
    return Night(settings, report, Warehouse(settings.warehouse))


@pytest.fixture(scope="session")
def s3_server() -> Iterator[dict[str, str]]:
    """A server that speaks the S3 protocol on loopback; the environment in which it is found."""
    with subprocess.Popen(
        [sys.executable, REPOSITORY / "tests" / "s3_server.py"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as server:
        yield {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{int(server.stdout.readline())}",
            "AWS_ACCESS_KEY_ID": "invented",
            "AWS_SECRET_ACCESS_KEY": "invented",
            "AWS_DEFAULT_REGION": "us-east-1",
        }
        server.stdin.close()


@pytest.fixture
def bucket(s3_server: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The URL of a new bucket."""
    for name, value in s3_server.items():
        monkeypatch.setenv(name, value)
    url = f"s3://bucket-{next(_buckets)}"
    Store(url)._place[0].mkdir(url.removeprefix("s3://"))
    yield url
    ledger._opened.cache_clear()  # the next test may have another server

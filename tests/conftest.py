"""A night over the sample logs, run once for all tests that look at its results."""

import os
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from anonymize.keys import create_key
from pipelines.night import NightReport, run_night
from pipelines.readers.landing import landing_days
from pipelines.settings import Settings, load_settings
from warehouse.layout import Warehouse

# The same examples at every run, and no verdict on how long a loaded machine takes to make them.
hypothesis_settings.register_profile("steady", derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
hypothesis_settings.load_profile("steady")

REPOSITORY = Path(__file__).parents[1]
SAMPLES = REPOSITORY / "samples"


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

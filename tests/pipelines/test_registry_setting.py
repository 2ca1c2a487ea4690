"""The setting that names a registry of recognizers: checked before a run reads anything, and part of the digest."""

from datetime import date
from pathlib import Path

import pytest
import yaml

import anonymize.registry
from pipelines.night import run_night
from pipelines.settings import load_settings
from pipelines.steps.deidentify import policy_of
from schemas.errors import AnonymizeError
from tests.conftest import settings_for

PACKAGED = Path(anonymize.registry.__file__).with_name("registry.yaml")


def registry(folder, **off):
    listed = yaml.safe_load(PACKAGED.read_text(encoding="utf-8"))
    for name in off:
        listed["rules"][name]["enabled"] = False
    path = folder / "registry.yaml"
    path.write_text(yaml.safe_dump(listed), encoding="utf-8")
    return path


def with_registry(settings, path):
    return settings.model_copy(update={"anonymize": settings.anonymize.model_copy(update={"registry": path})})


def test_a_run_whose_policy_is_not_served_does_not_start(tmp_path):
    landing = tmp_path / "landing"
    (landing / "dt=2026-11-02").mkdir(parents=True)
    settings = with_registry(settings_for(tmp_path, landing=landing), registry(tmp_path, IpRecognizer=False))
    with pytest.raises(AnonymizeError, match="No recognizer serves IP in language en"):
        run_night(settings, [date(2026, 11, 2)])
    assert not settings.warehouse.exists() or not list(settings.warehouse.rglob("*.parquet"))


def test_settings_reach_the_policy(tmp_path):
    path = registry(tmp_path)
    given = {"anonymize": {"registry": str(path), "chinese_model": "hf:folder", "english_model": "gliner:other"}}
    policy = policy_of(load_settings(given).settings)
    assert (policy.registry, policy.chinese_model, policy.english_model) == (str(path), "hf:folder", "gliner:other")


def test_the_digest_follows_what_a_registry_says_and_not_where_it_lies(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()

    def digest(path):
        return load_settings({"anonymize": {"registry": str(path)}}).settings.digest()

    one, two = registry(tmp_path / "a"), registry(tmp_path / "b")
    assert digest(one) == digest(two) != load_settings().settings.digest()
    before = digest(one)
    registry(tmp_path / "a", IbanRecognizer=False)
    assert digest(one) != before

from pathlib import Path

import pytest

from pipelines.settings import describe_setting, known_settings, load_settings
from schemas.errors import ConfigError


@pytest.fixture(autouse=True)
def plain_surroundings(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("TACIT_HOME", "TACIT_CONFIG", "TACIT_WORKERS"):
        monkeypatch.delenv(name, raising=False)


def test_flags_win_over_environment_over_file_over_default(monkeypatch, tmp_path):
    (tmp_path / "tacit.toml").write_text("workers = 1\nbuckets = 2\nsource = 'file'\n")
    monkeypatch.setenv("TACIT_WORKERS", "3")
    monkeypatch.setenv("TACIT_BUCKETS", "4")
    loaded = load_settings({"workers": 5, "landing": None})
    assert (loaded.settings.workers, loaded.settings.buckets, loaded.settings.source) == (5, 4, "file")
    origins = loaded.origins
    assert (origins["workers"], origins["buckets"], origins["source"]) == ("flag", "environment", "file tacit.toml")
    assert origins["landing"] == "default"


def test_groups_are_set_by_dotted_file_sections_and_double_underscores(monkeypatch, tmp_path):
    (tmp_path / "tacit.toml").write_text("[detect]\nrephrase = 0.9\n[anonymize]\nscope = 'user'\n")
    monkeypatch.setenv("TACIT_SQL__MEMORY", "4GB")
    settings = load_settings().settings
    assert (settings.detect.rephrase, settings.anonymize.scope, settings.sql.memory) == (0.9, "user", "4GB")


@pytest.mark.parametrize(
    ("file", "environment", "says"),
    [
        ("worker = 1", {}, "workers"),
        ("[detect]\nrephrases = 0.9", {}, "detect.rephrase"),
        ("", {"TACIT_WORKER": "1"}, "TACIT_WORKERS"),
        ("workers = -1", {}, "workers"),
        ("", {"TACIT_WORKERS": "many"}, "workers"),
        ("[anonymize]\nscope = 'everyone'", {}, "anonymize.scope"),
        ("workers = ", {}, "cannot be read"),
    ],
)
def test_what_is_unknown_or_impossible_is_refused_with_a_hint(file, environment, says, monkeypatch, tmp_path):
    (tmp_path / "tacit.toml").write_text(file)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError, match=says):
        load_settings()


def test_a_named_file_that_is_not_there_is_an_error(monkeypatch):
    monkeypatch.setenv("TACIT_CONFIG", "elsewhere.toml")
    with pytest.raises(ConfigError, match="cannot be read"):
        load_settings()


def test_every_setting_says_what_it_means():
    for name in known_settings():
        assert len(describe_setting(name)) > 10, name


def test_the_digest_follows_what_results_depend_on_and_nothing_else():
    base = load_settings().settings.digest()
    assert load_settings({"warehouse": Path("x"), "workers": 7, "buckets": 9}).settings.digest() == base
    assert load_settings({"source": "other"}).settings.digest() != base
    assert load_settings({"detect": {"rephrase": 0.9}}).settings.digest() != base

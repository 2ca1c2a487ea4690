"""The registry is checked at start, and says what runs."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from anonymize import Deidentifier, Item, Policy, PseudonymKey
from anonymize.recognition import build_recognizers
from anonymize.registry import checked_registry
from schemas.errors import AnonymizeError

PACKAGED = yaml.safe_load((Path(__file__).parents[2] / "anonymize" / "registry.yaml").read_text(encoding="utf-8"))


def written(folder: Path, change: Callable[[dict[str, Any]], object]) -> Policy:
    listed = yaml.safe_load(yaml.safe_dump(PACKAGED))
    change(listed)
    path = folder / "registry.yaml"
    path.write_text(yaml.safe_dump(listed), encoding="utf-8")
    return Policy(registry=str(path))


def test_a_type_that_loses_its_only_recognizer_stops_the_start(tmp_path: Path) -> None:
    policy = written(tmp_path, lambda r: r["rules"]["EmailRecognizer"].update(enabled=False))
    # A table's column of addresses is still found, so the type is served; without both nobody serves it.
    checked_registry(policy)
    policy = written(tmp_path, lambda r: r["rules"]["IbanRecognizer"].update(enabled=False))
    with pytest.raises(AnonymizeError, match="IBAN in language en"):
        checked_registry(policy)


def test_a_language_without_a_reader_is_served_by_rules_or_stops_the_start(tmp_path: Path) -> None:
    policy = written(tmp_path, lambda r: r["readers"]["zh"].update(enabled=False))
    checked_registry(policy)
    policy = written(
        tmp_path,
        lambda r: (
            r["readers"]["zh"].update(enabled=False),
            r["rules"]["OrganizationRecognizer"].update(enabled=False),
        ),
    )
    with pytest.raises(AnonymizeError, match="ORGANIZATION in language zh"):
        checked_registry(policy)


def test_a_rule_that_does_not_serve_what_the_registry_says_stops_the_start(tmp_path: Path) -> None:
    policy = written(tmp_path, lambda r: r["rules"]["IpRecognizer"].update(serves=["IP", "IBAN"]))
    checked_registry(policy)
    with pytest.raises(AnonymizeError, match="IpRecognizer that it serves other"):
        build_recognizers(policy)


def test_a_module_that_holds_no_recognizer_stops_the_start(tmp_path: Path) -> None:
    for module in ("nowhere", "policy", ""):
        policy = written(tmp_path, lambda r, m=module: r["rules"]["EmailRecognizer"].update(module=m))  # type: ignore[misc]
        with pytest.raises(AnonymizeError, match="EmailRecognizer in module"):
            build_recognizers(policy)


def test_a_recognizer_that_is_off_finds_nothing(tmp_path: Path, key: PseudonymKey) -> None:
    policy = written(tmp_path, lambda r: r["rules"]["EmailRecognizer"].update(enabled=False))
    result = Deidentifier(key, policy).deidentify([Item("s", "write to qa.desk@host.example now")])[0]
    assert "EMAIL" not in result.counts


def test_a_threshold_drops_weaker_findings(tmp_path: Path, key: PseudonymKey) -> None:
    policy = written(tmp_path, lambda r: r["rules"]["PhoneRecognizer"].update(threshold=0.85))
    one, two = Deidentifier(key, policy).deidentify([Item("s", "call 202-555-0143"), Item("s", "打13800138000")])
    assert "PHONE" not in one.counts
    assert two.counts == {"PHONE": 1}


@pytest.mark.parametrize(
    "change",
    [
        lambda r: r["rules"]["EmailRecognizer"].update(module=3),
        lambda r: r["rules"]["EmailRecognizer"].update(serves=["NOBODY"]),
        lambda r: r["rules"]["EmailRecognizer"].pop("serves"),
        lambda r: r["readers"]["en"].update(module="names.english"),
        lambda r: r["rules"]["EmailRecognizer"].update(threshold=2),
        lambda r: r["rules"]["EmailRecognizer"].update(enabled="no"),
        lambda r: r["rules"]["EmailRecognizer"].update(colour="red"),
        lambda r: r.update(rules=None),
        lambda r: r.update(more={}),
    ],
)
def test_a_malformed_registry_is_refused(tmp_path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    with pytest.raises(AnonymizeError, match="registry"):
        checked_registry(written(tmp_path, change))


def test_an_absent_registry_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AnonymizeError, match="cannot be read"):
        checked_registry(Policy(registry=str(tmp_path / "none.yaml")))

"""Which recognizer serves which entity type: read from registry.yaml, and checked before anything is loaded."""

from pathlib import Path
from typing import Any, NamedTuple

import yaml

from anonymize.policy import ENTITIES, Policy
from schemas.errors import AnonymizeError

_PACKAGED = Path(__file__).with_name("registry.yaml")
_KEYS = {"rules": {"module", "serves", "enabled", "threshold"}, "readers": {"serves", "enabled", "threshold"}}


class Entry(NamedTuple):
    """A recognizer of the registry that is switched on.

    Attributes:
        name: Class of a rule; language of a reader of names.
        module: Module of a rule, below this package; empty for a reader.
        serves: Entity types.
        threshold: Findings of a lower score are dropped.
    """

    name: str
    module: str
    serves: tuple[str, ...]
    threshold: float


class Registry(NamedTuple):
    """What runs: the rules, which work alike in every language, and the readers of names, one a language."""

    rules: tuple[Entry, ...]
    readers: tuple[Entry, ...]


def checked_registry(policy: Policy) -> Registry:
    """Read the registry of a policy, and check that all that the policy masks is served.

    Takes milliseconds, since no recognizer is made: a run calls it before it reads anything.

    Returns:
        The recognizers that are switched on; readers for languages of the policy only.

    Raises:
        AnonymizeError: The file is not of the form of registry.yaml, or an entity of the policy is served in no or not
            every language.
    """
    listed = _read(Path(policy.registry) if policy.registry else _PACKAGED)
    registry = Registry(
        tuple(_entries(listed, "rules")),
        tuple(entry for entry in _entries(listed, "readers") if entry.name in policy.languages),
    )
    for language in policy.languages:
        serving = (*registry.rules, *(r for r in registry.readers if r.name == language))
        missing = sorted(set(policy.masked) - {entity for entry in serving for entity in entry.serves})
        if missing:
            raise AnonymizeError(
                f"No recognizer serves {', '.join(missing)} in language {language}.",
                state="Nothing was scanned.",
                then="Remove these from the policy, or switch a recognizer for them on in the registry.",
            )
    return registry


def malformed(what: str) -> AnonymizeError:
    """The error for a registry that is not what it should be."""
    return AnonymizeError(
        f"The registry of recognizers {what}.",
        state="Nothing was scanned.",
        then="Compare it with anonymize/registry.yaml, which is the packaged one.",
    )


def _read(path: Path) -> dict[str, dict[str, dict[str, Any]]]:
    """Read a registry file and check its form."""
    try:
        listed = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as fault:
        raise malformed(f"cannot be read ({type(fault).__name__})") from None
    if not isinstance(listed, dict) or set(listed) != set(_KEYS):
        raise malformed("needs the sections rules and readers, and no others")
    for section, entries in listed.items():
        if not isinstance(entries, dict) or not all(isinstance(name, str) for name in entries):
            raise malformed(f"names nothing in its section {section}")
        for name, entry in entries.items():
            if not isinstance(entry, dict) or not _sound(entry, _KEYS[section]):
                raise malformed(
                    f"has an entry {name} with other keys or values than {', '.join(sorted(_KEYS[section]))}"
                )
    return listed


def _sound(entry: dict[str, Any], keys: set[str]) -> bool:
    """Whether an entry has no other keys and values than may be."""
    serves, threshold = entry.get("serves"), entry.get("threshold", 0.0)
    return (
        set(entry) <= keys
        and isinstance(entry.get("enabled", True), bool)
        and isinstance(entry.get("module", ""), str)
        and isinstance(serves, list)
        and all(entity in ENTITIES for entity in serves)
        and isinstance(threshold, int | float)
        and not isinstance(threshold, bool)
        and 0 <= threshold <= 1
    )


def _entries(listed: dict[str, dict[str, dict[str, Any]]], section: str) -> list[Entry]:
    return [
        Entry(name, entry.get("module", ""), tuple(entry["serves"]), float(entry.get("threshold", 0.0)))
        for name, entry in listed[section].items()
        if entry.get("enabled", True)
    ]

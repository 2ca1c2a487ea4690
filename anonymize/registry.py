"""Which recognizer serves which entity type: read from registry.yaml, checked at start, in Presidio's frame."""

from importlib import import_module
from pathlib import Path
from typing import Any

import yaml
from presidio_analyzer import EntityRecognizer, RecognizerRegistry

from anonymize.names.readers import reader_of
from anonymize.policy import Policy
from anonymize.recognizers.base import RuleRecognizer
from schemas.errors import AnonymizeError

_PACKAGED = Path(__file__).with_name("registry.yaml")
_KEYS = frozenset({"module", "enabled", "threshold"})


def build_registry(policy: Policy) -> RecognizerRegistry:
    """Make every recognizer that is switched on and register it for each language that it serves.

    Rules work alike in every language, so each is registered for all of them.

    Raises:
        AnonymizeError: The file is not of the form of registry.yaml, a model is missing, or an entity of the policy is
            served in no or not every language.
    """
    listed = _read(Path(policy.registry) if policy.registry else _PACKAGED)
    recognizers: list[EntityRecognizer] = []
    for name, entry in listed["rules"].items():
        if entry.get("enabled", True):
            rule = _rule(name, entry)
            recognizers += [_limited(rule(language), entry) for language in policy.languages]
    for language in policy.languages:
        entry = listed["readers"].get(language, {"enabled": False})
        if entry.get("enabled", True):
            recognizers.append(_limited(reader_of(language, policy), entry))
    registry = RecognizerRegistry(recognizers=recognizers, supported_languages=list(policy.languages))
    for language in policy.languages:
        served = {e for r in recognizers if r.supported_language == language for e in r.supported_entities}
        missing = sorted(set(policy.masked) - served)
        if missing:
            raise AnonymizeError(
                f"No recognizer serves {', '.join(missing)} in language {language}.",
                state="Nothing was scanned.",
                then="Remove these from the policy, or switch a recognizer for them on in the registry.",
            )
    return registry


def _read(path: Path) -> dict[str, dict[str, dict[str, Any]]]:
    """Read a registry file and check its form."""
    try:
        listed = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as fault:
        raise _malformed(f"cannot be read ({type(fault).__name__})") from None
    if not isinstance(listed, dict) or set(listed) != {"rules", "readers"}:
        raise _malformed("needs the sections rules and readers, and no others")
    for section, entries in listed.items():
        if not isinstance(entries, dict):
            raise _malformed(f"names nothing in its section {section}")
        for name, entry in entries.items():
            known = isinstance(entry, dict) and set(entry) <= _KEYS and isinstance(entry.get("enabled", True), bool)
            threshold = entry.get("threshold", 0.0) if known else None
            if not isinstance(threshold, int | float) or isinstance(threshold, bool) or not 0 <= threshold <= 1:
                raise _malformed(f"has an entry {name} with other keys or values than module, enabled and threshold")
    return listed


def _rule(name: str, entry: dict[str, Any]) -> type[RuleRecognizer]:
    """The class of a rule. Only modules of this package are imported, whatever the file says."""
    module = str(entry.get("module", ""))
    try:
        found = getattr(import_module(f"anonymize.{module}"), name)
    except (ImportError, AttributeError, ValueError):
        found = None
    if not (isinstance(found, type) and issubclass(found, RuleRecognizer)):
        raise _malformed(f"names {name} in module {module}, which is no recognizer")
    return found


def _limited(recognizer: Any, entry: dict[str, Any]) -> Any:
    recognizer.threshold = float(entry.get("threshold", 0.0))
    return recognizer


def _malformed(what: str) -> AnonymizeError:
    return AnonymizeError(
        f"The registry of recognizers {what}.",
        state="Nothing was scanned.",
        then="Compare it with anonymize/registry.yaml, which is the packaged one.",
    )

"""Makes the recognizers that the registry lists, in Presidio's frame."""

from importlib import import_module
from typing import Any

from presidio_analyzer import EntityRecognizer, RecognizerRegistry

from anonymize.names.readers import reader_of
from anonymize.policy import Policy
from anonymize.recognizers.base import RuleRecognizer
from anonymize.registry import Entry, checked_registry, malformed


def build_recognizers(policy: Policy) -> RecognizerRegistry:
    """Make every recognizer that is switched on and register it for each language that it serves.

    Rules work alike in every language, so each is registered for all of them.

    Raises:
        AnonymizeError: See `checked_registry`; a rule is not where the registry says, or serves other entity types; a
            model is missing.
    """
    registry = checked_registry(policy)
    recognizers: list[EntityRecognizer] = []
    for entry in registry.rules:
        rule = _rule(entry)
        recognizers += [_limited(rule(language), entry) for language in policy.languages]
    recognizers += [_limited(reader_of(entry.name, policy), entry) for entry in registry.readers]
    return RecognizerRegistry(recognizers=recognizers, supported_languages=list(policy.languages))


def _rule(entry: Entry) -> type[RuleRecognizer]:
    """The class of a rule. Only modules of this package are imported, whatever the file says."""
    try:
        found = getattr(import_module(f"anonymize.{entry.module}"), entry.name)
    except (ImportError, AttributeError, ValueError):
        found = None
    if not (isinstance(found, type) and issubclass(found, RuleRecognizer)):
        raise malformed(f"names {entry.name} in module {entry.module}, which is no recognizer")
    return found


def _limited(recognizer: Any, entry: Entry) -> Any:
    """Give a recognizer its threshold, where it serves what the registry says, no more and no less."""
    if set(recognizer.supported_entities) != set(entry.serves):
        raise malformed(f"says of {entry.name} that it serves other entity types than it does")
    recognizer.threshold = entry.threshold
    return recognizer

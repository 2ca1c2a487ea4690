"""The door: raw text in, de-identified text out, or nothing out and a reason."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from anonymize.keys import PseudonymKey
from anonymize.policy import Policy
from schemas.reasons import Reason

if TYPE_CHECKING:
    from anonymize.findings import Finding


class Item(NamedTuple):
    """A text to de-identify, and the scope within which its tags are stable: a conversation, or a user."""

    scope: str
    text: str


class Result(NamedTuple):
    """The de-identified text and how many values of each entity type it lost; no text where it could not be scanned."""

    text: str | None
    counts: dict[str, int]
    reason: Reason | None


class Deidentifier:
    """De-identifies texts. One object serves one thread; a process makes its own.

    Args:
        key: The pseudonym key.
        policy: What to mask.

    Raises:
        AnonymizeError: A model is missing, or an entity of the policy has no recognizer in some language.
    """

    def __init__(self, key: PseudonymKey, policy: Policy = Policy()) -> None:  # noqa: B008  # a frozen value
        # The analyzer takes seconds to import; who only needs a key or a policy does not pay for it.
        from anonymize.engine import Engine

        self._engine = Engine(key, policy)
        self._policy = policy

    def deidentify(self, items: Sequence[Item]) -> list[Result]:
        """De-identify texts.

        The result of an item depends on the set of items of its scope in this call, the key and the policy: not on
        order, repetition or what else is in the call. De-identified text passes through unchanged.

        Args:
            items: Texts with their scopes.

        Returns:
            A result for each item, in order. A text that could not be scanned gives `(None, {}, NOT_SCANNED)`.
        """
        distinct = sorted(set(items))
        found = dict(zip(distinct, self._engine.run(distinct), strict=True))
        return [Result(r.text, dict(r.counts), r.reason) for r in (found[item] for item in items)]

    def explain(self, items: Sequence[Item]) -> list[tuple[Result, list["Finding"]]]:
        """De-identify texts as `deidentify` does, and say what was found in each.

        Args:
            items: Texts with their scopes.

        Returns:
            For each item in order its result, and its findings by place. They hold no value. A text that could not be
            scanned has none.
        """
        from anonymize.findings import Trace

        distinct = sorted(set(items))
        traces = [Trace() for _ in distinct]
        results = [Result(r.text, dict(r.counts), r.reason) for r in self._engine.run(distinct, traces)]
        found = [sorted(t.findings) if r.reason is None else [] for r, t in zip(results, traces, strict=True)]
        known = dict(zip(distinct, zip(results, found, strict=True), strict=True))
        return [known[item] for item in items]

    def mask_labels(self, labels: Sequence[str]) -> list[str]:
        """Mask what columns of labels, such as the name of a model, hold of personal data: identifiers, no names.

        The tag of a value is the same in every conversation, so that rows can still be counted by label.

        Args:
            labels: Labels as logged.

        Returns:
            Each label, with its identifiers masked; most come back as they are.
        """
        return [self._engine.mask_label(label) for label in labels]

    def describe(self) -> dict[str, tuple[str, ...]]:
        """Entity types that are masked, with the names of the recognizers that serve each."""
        return self._engine.describe()

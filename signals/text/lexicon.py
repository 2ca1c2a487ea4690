"""Cue lexicons: YAML files of `group: {phrase-id: pattern}`, compiled into one linear-time matcher per file.

Patterns are matched against folded text (lower case, simplified Chinese), so one entry serves both scripts and all
widths. A pattern without Chinese characters matches whole words only.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import re2
import yaml

from schemas.errors import ConfigError
from signals.text.fold import fold, has_han

_FOLDER = Path(__file__).parent / "cues"
# Bytes that a compiled file may take; the library's own bound, 8 MiB, is too narrow for the largest.
_MEMORY = 32 << 20
_EDGE = "[^\\p{L}\\p{N}_]"


@dataclass(frozen=True, slots=True)
class Phrase:
    """One entry: its id (`file.group.name`), its group and its pattern."""

    id: str
    group: str
    pattern: str


@dataclass(frozen=True)
class Lexicon:
    """The compiled phrases of one file.

    Attributes:
        phrases: In file order.
        matcher: A set of all patterns, which reports those that match.
    """

    phrases: tuple[Phrase, ...]
    matcher: re2.Set

    def find(self, folded: str) -> tuple[Phrase, ...]:
        """The phrases that occur in folded text, in file order."""
        return tuple(self.phrases[i] for i in sorted(self.matcher.Match(folded) or ()))

    def groups(self, folded: str) -> frozenset[str]:
        """The groups of which a phrase occurs."""
        return frozenset(p.group for p in self.find(folded))


def parse(name: str, raw: str) -> Lexicon:
    """Compile a lexicon from the text of its file.

    Args:
        name: Prefix of the phrase ids.
        raw: YAML; a byte-order mark, carriage returns, and blank or comment lines do no harm.

    Returns:
        The lexicon.

    Raises:
        ConfigError: A pattern is blank, matches the empty string, or does not compile.
    """
    plain = raw.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    # Every scalar stays a string: `no` is a phrase id here, not a boolean.
    loaded = yaml.load(plain, Loader=yaml.BaseLoader) or {}  # noqa: S506 -- the base loader makes strings only
    phrases = tuple(
        Phrase(f"{name}.{group}.{key}", str(group), str(pattern).strip())
        for group, entries in loaded.items()
        for key, pattern in entries.items()
    )
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    matcher = re2.Set.SearchSet(options)
    for phrase in phrases:
        try:
            if not phrase.pattern or re2.search(phrase.pattern, "", options=options):
                raise _unusable(phrase.id)
            matcher.Add(
                phrase.pattern if has_han(phrase.pattern) else f"(?:^|{_EDGE})(?:{phrase.pattern})(?:{_EDGE}|$)"
            )
        except re2.error:
            raise _unusable(phrase.id) from None
    matcher.Compile()
    return Lexicon(phrases, matcher)


@cache
def lexicon(name: str) -> Lexicon:
    """Load `cues/NAME.yaml` once, and check that each entry of the file arrived and that the canary is found.

    Raises:
        ConfigError: An entry is unusable or was lost, or the canary sentence of the file matches nothing.
    """
    raw = (_FOLDER / f"{name}.yaml").read_text(encoding="utf-8")
    loaded = parse(name, raw)
    if len(loaded.phrases) != len(re.findall(r"^ +[a-z0-9_]+:", raw, re.MULTILINE)):
        raise _unusable(name)
    canaries = re.findall(r"^# canary: (.+)$", raw, re.MULTILINE)
    if not canaries or not all(loaded.find(fold(canary)) for canary in canaries):
        raise _unusable(name)
    return loaded


def _unusable(name: str) -> ConfigError:
    return ConfigError(
        f"The cue lexicon entry {name} cannot be used.",
        state="No signal was computed.",
        then="Mend or remove the entry in signals/text/cues/.",
    )

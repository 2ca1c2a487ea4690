"""One door for the whole session: its models take seconds to load."""

from collections.abc import Callable

import pytest

from anonymize import Deidentifier, Item, PseudonymKey

KEY = PseudonymKey(bytes(range(64, 96)))


@pytest.fixture(scope="session")
def key() -> PseudonymKey:
    return KEY


@pytest.fixture(scope="session")
def door(key: PseudonymKey) -> Deidentifier:
    return Deidentifier(key)


@pytest.fixture(scope="session")
def mask(door: Deidentifier) -> Callable[[str], str]:
    def run(text: str) -> str:
        result = door.deidentify([Item("scope", text)])[0]
        assert result.text is not None
        return result.text

    return run


@pytest.fixture(scope="session")
def masked(mask: Callable[[str], str]) -> Callable[[str, str, str], bool]:
    """Whether a value of a text gives way to a tag of a type, and nothing but tags is added."""

    def run(text: str, value: str, entity: str) -> bool:
        out = mask(text)
        return value not in out and f"<{entity}_" in out

    return run

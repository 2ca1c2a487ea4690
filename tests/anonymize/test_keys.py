import os
import stat
from pathlib import Path

import pytest

from anonymize import PseudonymKey, create_key, load_key
from schemas.errors import KeyFault


def test_a_created_key_is_private_and_loads_again(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "key"
    made = create_key(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert load_key(path) == made


def test_two_created_keys_differ(tmp_path: Path) -> None:
    assert create_key(tmp_path / "a").key_id != create_key(tmp_path / "b").key_id


def test_a_key_is_never_overwritten(tmp_path: Path) -> None:
    create_key(tmp_path / "key")
    with pytest.raises(KeyFault):
        create_key(tmp_path / "key")


@pytest.mark.parametrize(
    "content", [b"", b"00" * 32, b"ab" * 32, b"0123456789abcdef" * 2, b"not hexadecimal", b"\xff\xfe"]
)
def test_a_weak_or_damaged_key_stops(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "key"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(KeyFault):
        load_key(path)


def test_a_missing_key_stops(tmp_path: Path) -> None:
    with pytest.raises(KeyFault):
        load_key(tmp_path / "none")


@pytest.mark.skipif(os.name != "posix", reason="file modes are a POSIX matter")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644])
def test_a_key_open_to_others_stops(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "key"
    create_key(path)
    path.chmod(mode)
    with pytest.raises(KeyFault):
        load_key(path)


def test_the_secret_is_not_shown(key: PseudonymKey) -> None:
    assert key.secret.hex() not in repr(key)
    assert str(key.secret) not in repr(key)


def test_user_keys_tell_users_and_sources_apart(key: PseudonymKey) -> None:
    keys = {key.user_key("a", "1"), key.user_key("a", "2"), key.user_key("b", "1"), key.user_key("a1", "")}
    assert len(keys) == 4
    assert all(k.startswith("u_") for k in keys)
    assert key.user_key("a", "1") == key.user_key("a", "1")


def test_tags_depend_on_scope_type_value_and_key(key: PseudonymKey) -> None:
    other = PseudonymKey(bytes(range(100, 132)))
    tags = {
        key.tag("s", "PERSON", "x"),
        key.tag("t", "PERSON", "x"),
        key.tag("s", "EMAIL", "x"),
        key.tag("s", "PERSON", "y"),
        other.tag("s", "PERSON", "x"),
    }
    assert len(tags) == 5

"""Ids and digests as hashes of content keys: the same input gives the same ids, on any machine, in any order."""

from hashlib import blake2b


def content_id(*parts: str | None) -> str:
    """Hash the parts into one id.

    A length prefix keeps `("ab", "c")` apart from `("a", "bc")`, and a marker keeps None apart from the empty string.

    Args:
        *parts: The content key, in a fixed order.

    Returns:
        128 bits in lower-case hexadecimal, 32 characters.
    """
    state = blake2b(digest_size=16)
    for part in parts:
        if part is None:
            state.update(b"-")
        else:
            data = part.encode("utf-8", "surrogatepass")
            state.update(b"%d:" % len(data))
            state.update(data)
    return state.hexdigest()


def key_hash(key: bytes) -> int:
    """Hash what must stay together (a conversation, a trace, a record without either) to divide labour by.

    Args:
        key: The bytes of its id.

    Returns:
        64 bits. Two keys that meet share a unit of work and nothing else: results never depend on it.
    """
    return int.from_bytes(blake2b(key, digest_size=8).digest(), "big")

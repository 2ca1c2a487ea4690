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


def bucket_of(key: bytes, buckets: int) -> int:
    """Assign a conversation (or a record without one) to a unit of work.

    Args:
        key: The bytes of the conversation id, or of the whole record where no id can be read.
        buckets: The number of units.

    Returns:
        A number from 0 to `buckets - 1`. Results never depend on it; only the division of labour does.
    """
    return int.from_bytes(blake2b(key, digest_size=8).digest(), "big") % buckets

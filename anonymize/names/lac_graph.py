"""Gives the recurrent layers of the packaged LAC model the lengths of their sentences.

As packaged, the model reads the padding of a batch as text, so that only sentences of one length can be read together,
a few at a time. Its layers know how to stop at a length, and the model has an input for it that leads nowhere: here the
one is joined to the other. Nothing else is changed. The file is in the wire format of protocol buffers (ONNX IR).
"""

from collections.abc import Iterator

_GRAPH, _NODE, _INPUT = 7, 1, 11  # fields of ModelProto and GraphProto
_NODE_INPUT, _OPERATOR = 1, 4  # of NodeProto
_LENGTHS = b"length"
# ValueInfoProto of the lengths, of 64-bit integers as it is and of 32-bit ones, as the layers want them.
_WIDE, _NARROW = b"\x08\x07", b"\x08\x06"
_VARINT, _BYTES = 0, 2
_LENGTHS_AT = 4  # place among a layer's inputs
_LAYERS = 2


def with_lengths(model: bytes) -> bytes:
    """The model with the lengths of the sentences, 32-bit integers, as an input of its recurrent layers.

    Raises:
        ValueError: The model is not the one expected.
    """
    joined = 0

    def node(old: bytes) -> bytes:
        nonlocal joined
        parts = list(_fields(old))
        if (_OPERATOR, b"GRU") not in parts:
            return old
        places = [at for at, (number, _) in enumerate(parts) if number == _NODE_INPUT]
        if parts[places[_LENGTHS_AT]][1] != b"":
            raise ValueError("the layers have lengths")
        parts[places[_LENGTHS_AT]] = (_NODE_INPUT, _LENGTHS)
        joined += 1
        return _joined(parts)

    def value(old: bytes) -> bytes:
        return old.replace(_WIDE, _NARROW, 1) if (1, _LENGTHS) in _fields(old) else old

    def graph(old: bytes) -> bytes:
        change = {_NODE: node, _INPUT: value}
        return _joined((n, change[n](v) if n in change and isinstance(v, bytes) else v) for n, v in _fields(old))

    changed = _joined((n, graph(v) if n == _GRAPH and isinstance(v, bytes) else v) for n, v in _fields(model))
    if joined != _LAYERS:
        raise ValueError("other layers than expected")
    return changed


def _fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a message in order: number, and value, a whole number or bytes."""
    at = 0
    while at < len(message):
        key, at = _number(message, at)
        if key & 7 == _VARINT:
            value, at = _number(message, at)
            yield key >> 3, value
        elif key & 7 == _BYTES:
            size, at = _number(message, at)
            yield key >> 3, message[at : at + size]
            at += size
        else:
            raise ValueError("a field of a fixed size, of which this model has none at the levels read")


def _joined(fields: Iterator[tuple[int, int | bytes]] | list[tuple[int, int | bytes]]) -> bytes:
    parts = []
    for number, value in fields:
        if isinstance(value, int):
            parts += [_written(number << 3 | _VARINT), _written(value)]
        else:
            parts += [_written(number << 3 | _BYTES), _written(len(value)), value]
    return b"".join(parts)


def _number(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def _written(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)

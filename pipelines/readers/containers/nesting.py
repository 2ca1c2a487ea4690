"""Follows a JSON container from bracket to bracket, without recursion."""

import re

_BLANK = b" \t\r\n"
# From one bracket outside strings to the next, in text whose escapes are blanked out. The careful pattern stops also at
# a string that a line end breaks; a class of two characters is half as fast.
_FAST = re.compile(rb'[^"{}\[\]]*+(?:"[^"]*+"[^"{}\[\]]*+)*+')
_CAREFUL = re.compile(rb'[^"{}\[\]]*+(?:"[^"\n]*+"[^"{}\[\]]*+)*+')
QUOTE, OBJECT, ARRAY = b'"{['


class Nesting:
    """How deep the scanner stands in a container, and whether that is over."""

    __slots__ = ("before", "depth", "in_string", "over")

    def __init__(self) -> None:
        self.depth = self.before = 0
        self.in_string = self.over = False

    def follow(self, flat: bytes, pos: int, careful: bool) -> int:
        """Go from bracket to bracket outside strings.

        Args:
            flat: A chunk.
            pos: Where to begin in it.
            careful: Whether strings in it may be broken by line ends.

        Returns:
            Where the container is over, a string begins that has no end in the chunk, or the chunk ends.
        """
        match = (_CAREFUL if careful else _FAST).match
        last, size, depth, before = pos, len(flat), self.depth, self.before
        while (pos := match(flat, pos).end()) < size:  # type: ignore[union-attr]
            byte = flat[pos]
            if byte == OBJECT:
                if depth:
                    between = flat[last:pos].rstrip(_BLANK)
                    if (between[-1] if between else before) not in b"[,:":
                        self.over = True  # JSON allows none here: another record begins, and this one is broken
                        return pos
                depth += 1
            elif byte == ARRAY:
                depth += 1
            elif byte == QUOTE:
                self.depth, self.in_string = depth, True
                return pos + 1
            else:
                depth -= 1
                if not depth:
                    self.over = True
                    return pos + 1
            pos += 1
            before, last = byte, pos
        between = flat[last:].rstrip(_BLANK)
        self.depth, self.before = depth, between[-1] if between else before
        return pos

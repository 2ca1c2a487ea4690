"""Words of folded text: Latin and other words, numbers, tags, and single Chinese characters."""

import re
from functools import lru_cache

_TOKEN = re.compile(
    r"<[a-z_]+_[a-z0-9]+>|\d+(?:[.:/]\d+|,\d{3}(?!\d))*|[\u3400-\u9fff]|[a-z]+(?:'[a-z]+)?|[^\W\d_a-z\u3400-\u9fff]+",
    re.UNICODE,
)

# Function words, courtesies and request frames: they may come and go without changing what is asked for.
_FILLER = frozenset(
    word
    for line in (
        "a an the this that these those i me my mine we us our you your yours he she it its they them their is am",
        "are was were be been being do does did done have has had having will would shall should can could may",
        "might must of to in on at by for with from as into about and or but so if then than there here what",
        "which who whom how why when where please pls plz kindly just also now ok okay hey hi hello well again",
        "want need like let's lets give tell show get i'm i'd i'll i've you're it's that's what's don't can't",
        "thanks thank sorry some any all more very really actually again still yes no not",
    )
    for word in line.split()
)
_FILLER_HAN = frozenset(
    "的了吗呢啊呀吧嘛哦呃嗯么着过得地个些这那哪请帮我你您给把将是有要想能可以一下再来"
    "就也都还和与在从到对为被让问怎样如何什需啥咋"
)


_ALL_FILLER = _FILLER | _FILLER_HAN


def tokens(folded: str) -> list[str]:
    """Split folded text into words, numbers, tags and Chinese characters, in their order."""
    return _TOKEN.findall(folded)


@lru_cache(maxsize=1 << 16)
def stem(token: str) -> str:
    """Cut English plural and verb endings, roughly: only for comparing two texts with each other."""
    if len(token) > 4 and token.isascii():
        for ending in ("ing", "ies", "ed", "es", "s"):
            if token.endswith(ending) and len(token) - len(ending) >= 3 and not token.endswith("ss"):
                return token[: -len(ending)]
    return token


def content(words: list[str]) -> list[str]:
    """Stems of the tokens that carry meaning."""
    return [stem(word) for word in words if word not in _ALL_FILLER]

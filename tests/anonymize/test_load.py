"""Time grows with the length of a text and no faster, and memory does not grow with the number of texts."""

import time

import psutil
import pytest

from anonymize import Deidentifier, Item

UNITS = [
    "a1-b2.",
    "7",
    "7 ",
    "@",
    "a@",
    "[",
    "](",
    ".",
    ":",
    "\n",
    " ",
    "`",
    "'",
    '"',
    "的",
    "王",
    "Ab ",
    "A. ",
    "1.1.",
]
UNITS += ["王明，李强，", "小李、老王、", "John Smith, ", "鲁迅、王明、"]
UNITS += ["john ", "王明、", "路1号", "在杭州", "corner of A and ", "at 1 ", "name=", "“王明”"]


def seconds(door: Deidentifier, unit: str, chars: int) -> float:
    text = (unit * (chars // len(unit) + 1))[:chars]
    start = time.process_time()
    assert door.deidentify([Item("j", text)])[0].reason is None
    return time.process_time() - start


@pytest.mark.parametrize("unit", UNITS)
def test_four_times_the_text_takes_about_four_times_as_long(door: Deidentifier, unit: str) -> None:
    short, long = (min(seconds(door, unit, chars) for _ in range(2)) for chars in (20_000, 80_000))
    # A quadratic step would show as sixteen; the constant is for the noise of a busy machine.
    assert long < 8 * short + 0.6


@pytest.mark.parametrize("unit", ["a1-b2.", "7", "@", "[", "](", ".", "(1) 2-3 ", "AB12 ", "4111 "])
def test_a_megabyte_that_looks_like_data_takes_no_longer_than_other_text(door: Deidentifier, unit: str) -> None:
    seconds(door, unit, 50_000)  # automata are built as texts come
    # Half a second to one on an idle core; a stall would take minutes.
    assert seconds(door, unit, 1_000_000) < 6


@pytest.mark.parametrize("unit", ["王明、", "王明，李强，", "小李、老王、", "John Smith, "])
def test_a_megabyte_of_names_is_a_matter_of_seconds(door: Deidentifier, unit: str) -> None:
    seconds(door, unit, 50_000)
    # Two to four on an idle core, for a third of a million names.
    assert seconds(door, unit, 1_000_000) < 20


def test_many_different_values_take_no_longer_a_value(door: Deidentifier) -> None:
    text = "".join(f"q{number:x}z@example.com " for number in range(20_000))
    start = time.process_time()
    assert door.deidentify([Item("j", text)])[0].counts == {"EMAIL": 20_000}
    assert time.process_time() - start < 20


def new_word(number: int) -> str:
    """A short message that holds a word that no other message holds, in one language or the other."""
    if number % 2:
        return f"Dear Qu{number:x}ent, ok"
    return f"王{chr(0x4E00 + number % 0x5000)}{chr(0x4E00 + number // 0x5000)}说{number:x}"


@pytest.mark.slow
def test_memory_is_flat_over_two_hundred_thousand_messages(door: Deidentifier) -> None:
    process = psutil.Process()

    def batch(number: int) -> None:
        # Every message is new, and so is a word of it to the model of its language.
        items = [Item(f"c{i}", new_word(number * 2_000 + i)) for i in range(2_000)]
        assert all(r.reason is None for r in door.deidentify(items))

    for number in range(20):
        batch(number)
    before = process.memory_info().rss
    for number in range(20, 100):
        batch(number)
    grown = process.memory_info().rss - before
    # Distinct words that a model remembers would take kilobytes a message: 160,000 of them would be hundreds of MB.
    assert grown < 60 << 20

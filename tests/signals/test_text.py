import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.errors import ConfigError
from signals.profile import profile
from signals.reactions import features
from signals.text.acts import asks, is_empty_act
from signals.text.fold import bare, fold
from signals.text.instruct import instruction, own_words, residues, segments
from signals.text.lexicon import lexicon, parse
from signals.text.slots import changed, numbers, slots


@given(st.text(max_size=60))
@settings(max_examples=200, deadline=None)
def test_folding_twice_changes_nothing_more(text):
    assert fold(fold(text)) == fold(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ＧＰＴ", "gpt"),
        ("café", "cafe\u0301"),
        ("軟體", "软体"),
        ("a\u200bb", "ab"),
        ("It’s", "it's"),
        ("  a \n b ", "a b"),
    ],
)
def test_what_means_the_same_folds_together(one, other):
    assert fold(one) == fold(other)


def test_emoji_alone_leaves_no_word():
    assert bare(fold("\U0001f44d \U0001f44d\U0001f3fd!")) == ""


def test_a_lexicon_survives_byte_order_marks_carriage_returns_and_blank_lines():
    saved = "\ufeffgroup:\r\n  one: \"wrong\"\r\n\r\n  no: '错了'\r\n"
    loaded = parse("test", saved)
    assert [p.id for p in loaded.phrases] == ["test.group.one", "test.group.no"]
    assert [p.id for p in loaded.find("that is wrong")] == ["test.group.one"]
    assert not loaded.find("wrongful dismissal")
    assert not loaded.find("all is well")


@pytest.mark.parametrize("pattern", ['""', '" "', '"(a"', '"x*"', '"(?=a)b"'])
def test_a_pattern_that_matches_everything_or_nothing_is_refused(pattern):
    with pytest.raises(ConfigError):
        parse("test", f"group:\n  one: {pattern}\n")


@pytest.mark.parametrize("name", ["complain", "guards", "dismiss", "requests", "acts"])
def test_every_shipped_lexicon_loads_and_finds_its_canaries(name):
    assert lexicon(name).phrases


@pytest.mark.parametrize(
    "text", ["ok", "好的", "继续", "go on", "Thanks!!", "finish your answer", "\U0001f44d", "", "yes please"]
)
def test_acknowledgements_and_control_words_ask_for_nothing(text):
    assert is_empty_act(fold(text))


@pytest.mark.parametrize(
    "text",
    [
        "ok so how do I bake it",
        "continue the list with ten rivers of Peru and their lengths",
        "继续讲讲唐朝的税收制度是怎么变化的",
    ],
)
def test_words_that_follow_make_it_a_request(text):
    assert not is_empty_act(fold(text))


def test_a_question_at_the_end_of_a_reply_is_asked():
    assert asks("Done. Which colour do you want?")
    assert asks("好的，请告诉我你的预算")
    assert not asks("Why not? Because it rains.")
    assert not asks(None)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("two rooms and 1,200 euros", {"2": 1, "1200": 1}),
        ("写三百字，分成五段", {"300": 1, "5": 1}),
        ("两千五百元", {"2500": 1}),
        ("4.5米", {"4.5": 1}),
        ("版本是5.7，5.7没有", {"5.7": 2}),
        ("rows 3,4,5", {"3": 1, "4": 1, "5": 1}),
    ],
)
def test_numbers_are_read_in_words_and_digits(text, found):
    assert dict(numbers(fold(text))) == found


@pytest.mark.parametrize(
    ("one", "other", "kinds"),
    [
        ("book 2 rooms", "book 3 rooms", ["number"]),
        ("book two rooms", "book 2 rooms", []),
        ("write to <PERSON_x7k2mq>", "write to <PERSON_b4n8aa>", ["tag"]),
        ("mute the channel, do not enable it", "disable it", ["polarity"]),
        ("add a row", "add a row with 3 cells", []),
        ("6 of 24", "6 of 6", ["number"]),
        ("open /etc/hosts", "open /etc/fstab", ["path"]),
        ("把猫放在狗上面，猫比狗大", "把狗放在猫上面，狗比猫大", ["order"]),
    ],
)
def test_slots_that_conflict_are_named(one, other, kinds):
    one, other = fold(one), fold(other)
    assert changed(one, other, slots(one), slots(other)) == kinds


def test_the_instruction_stands_apart_from_what_was_pasted():
    pasted = "A long report about bridges and rivers. " * 40
    assert instruction(f"Summarise this:\n{pasted}").startswith("Summarise this:")
    assert "translate" in instruction(f"{pasted}\n\nPlease translate")
    assert instruction("short") == "short"
    assert "you are wrong" not in own_words("Classify: <trace>user: you are wrong</trace>")
    assert own_words("```only code```") == "```only code```"


def beside(one, other):
    return residues(one, other, segments(one), segments(other))


def test_shared_material_is_cut_from_both_sides():
    shared = "the river rose in the night. " * 20
    assert beside(f"{shared}summarise.", f"{shared}translate.") == ("summarise.", "translate.")
    assert beside("short", "short too") is None
    assert beside("a" * 300 + " one", "a" * 300 + " two") == ("one", "two")
    assert beside("a" * 300 + " one", "b" * 300 + " one") is None


@pytest.mark.parametrize(
    "unit", ["!", "\n", "\u201c", "<a>", "</a>", "> ", "a_", "1.", "`" * 3, "no ", "\u4e0d", "<a", "-/", "?!", "\u200b"]
)
def test_a_message_made_to_stall_a_pattern_is_read_in_linear_time(unit):
    text = unit * 60_000
    profile(text)
    own_words(text)
    features(text)
    beside(fold(text), fold(text + "and then translate it"))


def test_evidence_that_is_never_closed_is_cut_to_the_end():
    assert own_words("Rate this: <transcript> user: you are wrong").strip() == "Rate this:"
    assert own_words("keep <b>this</b> and a < b").split() == ["keep", "and", "a", "<", "b"]
    assert own_words("List<int> x stays") == "List<int> x stays"

import polars as pl
import pytest
from talks import Grams, event, found, message, pair_verdicts, talk

from schemas.ids import content_id
from signals.encoder import EncoderFault
from signals.settings import DetectSettings

CHAT = [
    message("u0", "user", "name the capital", 0), message("a0", "assistant", "Rome.", 1, 2),
    message("u1", "user", "That is wrong, you ignored my question", 60), message("a1", "assistant", "Sorry.", 61, 62),
]  # fmt: skip


def test_the_strongest_signal_of_an_exchange_is_primary(use):
    signals = found(CHAT, [event("thumbs_down", 9, "a0")], encoder=use).signals
    assert signals.select("signal", "primary").sort("signal").rows() == [("complain", False), ("dislike", True)]


def test_ids_are_hashes_of_content_keys(use):
    detections = found(CHAT, [event("thumbs_down", 9, "a0")], encoder=use)
    exchange = content_id("web", "c1", "a0")
    assert detections.exchanges["exchange_id"][0] == exchange
    assert set(detections.signals["signal_id"]) == {content_id(exchange, s) for s in ("dislike", "complain")}


def test_a_lower_threshold_finds_more_and_probabilities_stay(use):
    rows = talk("Write a sorting function", "hm, I expected something else here", "make it shorter")
    strict = found(rows, encoder=use, settings=DetectSettings(complain=0.99))
    loose = found(rows, encoder=use, settings=DetectSettings(complain=0.0))
    assert strict.exchanges["complain"].sum() == 0
    assert loose.exchanges["complain"].sum() == 2
    assert strict.exchanges["p_complain"].equals(loose.exchanges["p_complain"])


def test_a_value_is_null_exactly_where_its_probability_is(use):
    rows = talk("a question", "That is wrong", None, "thanks", "thanks")
    frame = found(rows, encoder=use).exchanges
    for signal in ("dislike", "complain", "dismiss", "repeat", "rephrase", "skim"):
        assert frame[signal].is_null().equals(frame[f"p_{signal}"].is_null())
    assert frame.select(pl.col("^p_.*$").is_between(0, 1).all()).row(0) == (True,) * 6


def test_without_an_encoder_only_what_needs_none_is_decided():
    frame = found(CHAT, [event("thumbs_down", 9, "a0")]).exchanges
    row = frame.row(0, named=True)
    assert (row["dislike"], row["complain"], row["repeat"], row["rephrase"], row["dismiss"]) == (
        True,
        None,
        None,
        None,
        False,
    )


@pytest.mark.parametrize("broken", ["nan", "long", "moody"])
def test_an_encoder_that_cannot_be_compared_is_refused(broken):
    class Broken(Grams):
        def encode(self, texts):
            vectors = super().encode(texts)
            if broken == "nan":
                vectors[0] = float("nan")
            elif broken == "long":
                vectors *= 2
            else:
                vectors = vectors * (1 if len(self.seen) <= len(texts) else -1)
            return vectors

    with pytest.raises(EncoderFault):
        found(CHAT, encoder=Broken())


@pytest.mark.parametrize(
    "change",
    [
        str.upper,
        lambda text: f"  {text}\u200b \n",
        lambda text: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text),
        lambda text: text.rstrip("?.!") + " !",
    ],
    ids=["case", "space", "width", "mark"],
)
def test_repeat_does_not_depend_on_how_the_text_is_written(change, use):
    pairs = [("How tall is Mont Blanc?", "how tall is mont blanc"), ("Turn the lamp on", "Turn the lamp off")]
    written = [(first, change(second)) for first, second in pairs]
    judged = pair_verdicts([*pairs, *written], use)
    assert [judged[pair]["repeat"] for pair in written] == [judged[pair]["repeat"] for pair in pairs] == [True, False]


def test_traditional_and_simplified_script_are_judged_alike(use):
    request = "帮我写一首诗"
    simple = ["这个答案不对", "谢谢，讲得很清楚", "算了，不问了", "幫我写一首詩"]
    traditional = ["這個答案不對", "謝謝，講得很清楚", "算了，不問了", "幫我寫一首詩"]
    judged = pair_verdicts(list(dict.fromkeys((request, text) for text in simple + traditional)), use)
    for one, other in zip(simple, traditional, strict=True):
        for signal in ("complain", "dismiss", "repeat", "rephrase"):
            assert judged[request, one][signal] == judged[request, other][signal]

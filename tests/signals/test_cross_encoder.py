import numpy as np
import pytest
from talks import linked, talk

from signals.cross_encoder import JUDGED, LEAST, SCRIPTS, Blend, CloseReading
from signals.detect import detect
from signals.readings import Readings
from signals.settings import DetectSettings

EVEN = Blend(intercept=0.0, small=1.0, close=1.0, threshold=0.5)


class Says:
    """A cross-encoder that says the same of every triple, and remembers which it was asked about."""

    name, revision = "says", "1"

    def __init__(self, complain=0.0, rephrase=0.0, blend=EVEN, han=EVEN):
        self._odds, self.asked = (complain, rephrase), []
        self.blends = {signal: dict(zip(SCRIPTS, (han, blend), strict=True)) for signal in JUDGED}

    def odds(self, triples):
        self.asked += triples
        return np.tile(np.array(self._odds, dtype=np.float32), (len(triples), 1))


CHAT = talk(
    "Which trains go to Leeds?", "I asked about trains: when do they leave for Leeds?", reply="Buses leave hourly."
)


def judged(use, closer, rows=CHAT, settings=None):
    return detect(linked(rows), use, settings, closer)


def test_its_word_moves_a_probability_up_and_down(use):
    plain = judged(use, None).exchanges.row(0, named=True)
    for signal in JUDGED:
        p = f"p_{signal}"
        assert LEAST < plain[p] < 1
        surer, doubting = (judged(use, Says(odds, odds)).exchanges.row(0, named=True)[p] for odds in (3.0, -3.0))
        assert doubting < plain[p] < surer


def test_even_odds_of_weight_nothing_change_nothing(use):
    mute = Blend(intercept=0.0, small=1.0, close=0.0, threshold=0.5)
    plain, same = judged(use, None).exchanges, judged(use, Says(9.0, 9.0, mute)).exchanges
    for signal in JUDGED:
        assert same[f"p_{signal}"].to_list() == pytest.approx(plain[f"p_{signal}"].to_list(), abs=2e-6)


def test_it_reads_the_message_the_request_and_the_reply_together_and_each_message_once(use):
    closer = Says()
    judged(use, closer)
    wanted = ("i asked about trains: when do they leave for leeds?", "which trains go to leeds?", "buses leave hourly")
    assert closer.asked == [wanted]


@pytest.mark.parametrize(
    "written",
    [
        str.upper,
        lambda t: t.replace("?", "？"),
        lambda t: f"{t} \U0001f44d",
        lambda t: f"\u200b{t}",
        lambda t: f"{t}。",
    ],
)
def test_how_a_message_is_written_does_not_reach_it(use, written):
    asked = []
    for how in (lambda text: text, written):
        texts = ["我要坐火车去上海", "不对,我说的是火车票,when does it leave?"]
        closer = Says()
        judged(use, closer, talk(*map(how, texts), reply="飞机票已订好。"))
        asked.append(closer.asked)
    assert asked[0] == asked[1]


def test_both_chinese_scripts_are_read_as_one(use):
    asked = []
    for texts in (["帮我订火车票", "不对，我说的是火车票"], ["幫我訂火車票", "不對，我說的是火車票"]):
        closer = Says()
        judged(use, closer, talk(*texts))
        asked.append(closer.asked)
    assert asked[0] == asked[1]


def test_of_several_earlier_requests_it_reads_the_one_that_is_most_alike(use):
    rows = talk("How far is the moon?", "Write a poem about an old boat", "I asked how far away the moon is, please")
    closer = Says()
    judged(use, closer, rows)
    assert ("i asked how far away the moon is, please", "how far is the moon?", "here you are") in closer.asked


def test_what_the_small_models_rule_out_is_not_read_and_stays(use):
    rows = talk("Which trains go to Leeds?", "thanks")
    closer = Says(9.0, 9.0)
    p = judged(use, closer, rows).exchanges["p_rephrase"][0]
    assert closer.asked == []
    assert p < LEAST


def test_the_threshold_is_that_of_who_judges_unless_the_configuration_names_one(use):
    rows = [*CHAT, *talk("列出三条理由", "我要的是三条理由，不是一条", conversation="c2")]
    closer = Says(9.0, 9.0, blend=Blend(0.0, 1.0, 1.0, 0.123), han=Blend(0.0, 1.0, 1.0, 0.234))
    found = judged(use, closer, rows).signals
    assert set(found.filter(found["signal"].is_in(JUDGED))["threshold"]) == {0.123, 0.234}
    found = judged(use, closer, rows, DetectSettings(complain=0.2, rephrase=0.2)).signals
    assert set(found.filter(found["signal"].is_in(JUDGED))["threshold"]) == {0.2}
    assert Readings(linked(CHAT), use, DetectSettings()).thresholds("complain", [(0, 2)], [0.4]) == [0.4]


def test_where_its_word_has_no_weight_in_a_script_the_small_model_judges_alone(use):
    alone = Blend(intercept=0.0, small=1.0, close=0.0, threshold=0.4)
    rows = talk("列出三条理由", "我要的是三条理由，不是一条")
    plain, same = (judged(use, c, rows).exchanges for c in (None, Says(9.0, 9.0, han=alone)))
    assert same["p_complain"].to_list() == pytest.approx(plain["p_complain"].to_list(), abs=2e-6)


def test_a_detection_names_the_cross_encoder_that_helped_to_make_it(use):
    rows = talk("name the capital", "That is wrong, you ignored my question", "That is wrong, you ignored my question")
    with_it = dict(judged(use, Says(9.0, -9.0), rows).signals.select("signal", "rule_version").iter_rows())
    assert with_it["complain"].endswith("+says@1")
    assert "says" not in with_it["repeat"]


def test_without_an_encoder_nothing_is_read():
    closer = Says(9.0, 9.0)
    found = judged(None, closer).exchanges
    assert found["p_complain"].null_count() == found.height
    assert closer.asked == []


def test_the_blend_of_certain_odds_stays_within_bounds():
    for p in (0.0, 0.5, 1.0):
        for odds in (-1e6, 0.0, 1e6):
            assert 0.0 <= EVEN.weigh(p, odds) <= 1.0


def test_no_messages_are_read_of_nothing():
    window = linked(CHAT)
    assert CloseReading(Says(), window, []).weighed("complain", [], []) == []

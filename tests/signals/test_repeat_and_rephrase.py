import pytest
from talks import Grams, event, found, message, of, pair_verdicts, talk

REPEATS = [
    ("ＧＰＴ是什么？", "GPT是什么?"),
    ("How do I make caf\u00e9 au lait", "How do I make cafe\u0301 au lait \u200b"),
    ("What is the boiling point of ethanol?", "what is the boiling point of ethanol"),
    ("請問軟體開發流程有哪些階段", "请问软体开发流程有哪些阶段"),
    ("Explain how tides work", "Please explain how tides work"),
    ("怎么给猫剪指甲", "怎么给猫剪指甲啊"),
    ("Can I freeze cooked lentils", "Can I freze cooked lentils?"),
]

NEITHER = [
    ("Please enable read receipts for my inbox", "Please disable read receipts for my inbox"),
    ("帮我打开消息提醒", "帮我关掉消息提醒"),
    ("diff main against dev", "diff dev against main"),
    ("高兴", "桌子"),
    ("好的", "谢谢"),
    ("translate this from French to German", "translate this from German to French"),
    ("把人民币换成美元要多少手续费", "把美元换成人民币要多少手续费"),
    ("Convert 20 miles to kilometres", "Convert 45 miles to kilometres"),
    ("Draft a note to <PERSON_x7k2mq> about lunch", "Draft a note to <PERSON_b4n8aa> about lunch"),
    ("What does 'ubiquitous' mean", "What does 'ephemeral' mean"),
    ("Delete the file notes.txt", "Delete the file todo.txt"),
    ("List three advantages of remote work", "List three disadvantages of remote work"),
    ("写一首关于春天的诗", "继续"),
    ("Tell me a story about a fox", "go on"),
    ("Tell me a story about a fox", "thanks!"),
    ("", "   "),
    ("\U0001f44d", "\U0001f44d"),
    ("\U0001f44d", "\U0001f44d\U0001f44d"),
    ("Should I allow guests to post?", "Should I forbid guests to post?"),
    ("Explain photosynthesis", "How much does a tram ticket cost in Lisbon?"),
    ("北京明天的天气", "上海有什么好吃的"),
    ("What is the currency of Sweden?", "What is the currency of Norway?"),
    ("帮我写一封请假邮件", "帮我写一封辞职邮件"),
]


REPHRASES = [
    ("Please enable read receipts for my inbox", "I want read receipts switched on in my inbox"),
    ("How can I stop my glasses from fogging up", "I mean, how do I keep my glasses from misting over?"),
    ("我的路由器老是断线怎么办", "我问的是无线路由器总掉线要怎么解决"),
    # A denial of what the reply said, and an opposite by chance, in a sentence that is built anew.
    (
        "How do I keep the milk from boiling over",
        "That's not what I asked, I mean the milk: what can I do before it boils so that the pot doesn't overflow?",
    ),
]


@pytest.fixture(scope="module")
def verdicts(use):
    return pair_verdicts([*REPEATS, *NEITHER, *REPHRASES], use)


@pytest.mark.parametrize("pair", REPEATS)
def test_the_same_words_again_are_a_repeat(pair, verdicts):
    assert (verdicts[pair]["repeat"], verdicts[pair]["rephrase"]) == (True, False)


@pytest.mark.parametrize("pair", NEITHER)
def test_a_new_request_is_neither_repeat_nor_rephrase(pair, verdicts):
    assert (verdicts[pair]["repeat"], verdicts[pair]["rephrase"]) == (False, False)


@pytest.mark.parametrize("pair", REPHRASES)
def test_the_same_need_in_other_words_is_a_rephrase(pair, verdicts):
    assert (verdicts[pair]["repeat"], verdicts[pair]["rephrase"]) == (False, True)


def test_one_template_with_another_slot_each_time_is_a_batch(use):
    rows = talk("Write a product blurb: red mug", "Write a product blurb: blue mug", "Write a product blurb: oak desk")
    detections = found(rows, encoder=use)
    assert not detections.exchanges["repeat"].fill_null(value=False).any()
    assert not detections.exchanges["rephrase"].fill_null(value=False).any()


def test_the_same_slot_twice_in_a_batch_is_a_repeat(use):
    rows = talk(
        "Write a product blurb: red mug", "Write a product blurb: blue mug", "Write a product blurb: oak desk",
        "Write a product blurb: oak desk",
    )  # fmt: skip
    assert of(found(rows, encoder=use), "a2", "repeat") is True


def test_another_instruction_for_the_same_document_is_a_new_request(use):
    document = "The committee met on a grey morning and spoke of bridges. " * 3 + "It rained. Nobody left early. " * 60
    other = found(talk(f"{document}\nSummarise.", f"{document}\nTranslate to French."), encoder=use)
    assert of(other, "a0", "repeat") is False
    assert of(other, "a0", "rephrase") is False
    words = "lorem ipsum dolor sit amet " * 600
    other = found(talk(f"{words}Summarise.", f"{words}Translate to French."), encoder=use)
    assert of(other, "a0", "repeat") is False
    assert of(other, "a0", "rephrase") is False


def test_a_log_that_ends_in_another_error_is_a_new_request(use):
    log = "\n".join(f"  at frame {n} in module_{n % 7}.step" for n in range(500))
    rows = talk(f"{log}\nKeyError: missing column", f"{log}\nTimeoutError: gateway did not answer")
    detections = found(rows, encoder=use)
    assert of(detections, "a0", "repeat") is False
    assert of(detections, "a0", "rephrase") is False


def test_a_request_is_compared_with_earlier_ones_too(use):
    rows = talk("How tall is Mont Blanc?", "And where is the nearest hut?", "How tall is Mont Blanc")
    detections = found(rows, encoder=use)
    assert of(detections, "a1", "repeat") is True
    evidence = detections.signals.filter(detections.signals["signal"] == "repeat")["evidence"][0]
    assert evidence["earlier_message_id"] == "u0"


def test_identical_requests_with_a_reply_between_stay_two_turns(use):
    rows = [
        message("u0", "user", "fix it", 0), message("a0", "assistant", "Done.", 5, 6),
        message("u1", "user", "fix it", 40), message("a1", "assistant", "Done again.", 45, 46),
    ]  # fmt: skip
    detections = found(rows, encoder=use)
    assert detections.exchanges.height == 2
    assert of(detections, "a0", "repeat") is True


def test_a_retry_after_an_error_is_no_repeat(use):
    rows = [
        message("u0", "user", "plan trip", 0), message("a0", "assistant", None, 2, 2, status="error"),
        message("u1", "user", "plan trip", 4), message("a1", "assistant", "Day one: the museum.", 6, 9),
    ]  # fmt: skip
    detections = found(rows, encoder=use)
    assert detections.exchanges.filter(detections.exchanges["reply_id"] == "a0")["follow_up"][0] == "retry_after_error"
    assert of(detections, "a0", "repeat") is False


def test_a_double_submit_and_a_reconnect_are_no_repeat(use):
    rows = [
        message("u0", "user", "plan trip", 0), message("a0", "assistant", "Day", 0.5, 0.9),
        message("u1", "user", "plan trip", 1.5), message("a1", "assistant", "Day one", 3, 4, status="partial"),
        message("u2", "user", "plan trip", 30), message("a2", "assistant", "Day one: museum", 33, 36),
    ]  # fmt: skip
    detections = found(rows, [event("disconnect", 5)], encoder=use)
    assert detections.exchanges["follow_up"].to_list() == ["double_submit", "reconnect", None]
    assert detections.exchanges["repeat"].to_list() == [False, False, None]


def test_the_same_request_in_another_language_is_a_rephrase(use):
    detections = found(talk("How do I cook braised pork?", "怎么做红烧肉"), encoder=use)
    assert (of(detections, "a0", "repeat"), of(detections, "a0", "rephrase")) == (False, True)


def test_the_same_task_again_on_the_same_document_is_a_rephrase(use):
    document = "The committee met on a grey morning and spoke of bridges. It rained. Nobody left early. " * 40
    detections = found(talk(f"{document}\nSummarise.", f"{document}\nSummarise again, shorter"), encoder=use)
    assert (of(detections, "a0", "repeat"), of(detections, "a0", "rephrase")) == (False, True)


def test_an_answer_to_the_assistants_question_is_no_request(use):
    rows = talk("Find me a flight to Rome", "From Vienna on Friday", reply="Sure. Where do you leave from, and when?")
    detections = found(rows, encoder=use)
    assert of(detections, "a0", "rephrase") is False


def test_missing_text_is_not_measurable(use):
    detections = found(talk("How tall is it?", None), encoder=use)
    assert [of(detections, "a0", s) for s in ("repeat", "rephrase", "complain")] == [None, None, None]
    assert [of(detections, "a1", s) for s in ("repeat", "rephrase", "complain")] == [None, None, None]


def test_each_distinct_text_is_encoded_once():
    grams = Grams()
    found(talk("How tall is Mont Blanc?", "How tall is Mont Blanc?", "thanks", "ok"), encoder=grams)
    assert grams.seen.count("how tall is mont blanc?") == 1

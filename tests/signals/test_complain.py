import pytest
from talks import found, pair_verdicts, talk

COMPLAINTS = [
    "you have got to be joking, third time now",
    "又错了又错了",
    "I asked for Python, not Java",
    "WRONG ANSWER AGAIN",
    "這個答案實在滿意不起來",
    "That is not what I asked for.",
    "No, that's wrong.",
    "你没有回答我的问题",
    "This is useless, you keep ignoring what I said",
    "不对，我要的是表格，不是文字",
    "太敷衍了，重写",
    "Oh great job, now you deleted the whole file",
    "It still doesn't work, same error as before",
    "运行还是报错",
]

CALM = [
    "can't complain, ship it",
    "nothing wrong here",
    "why are you locking the cache twice?",
    "没毛病，挺好",
    "这答案挑不出毛病",
    "export MAX_RETRIES and LOG_LEVEL",
    "BEST ANSWER EVER",
    "plot errorbars on the badge chart",
    "wrongful dismissal law",
    "不错，继续",
    "Classify: <trace>user: you are wrong again</trace>",
    'Translate into German: "This is wrong, you never listen to me."',
    "Thanks, that works!",
    "Now add a chart",
    "ok",
    "谢谢你，解决了",
    "What causes a connection to be refused?",
    "\U0001f44d",
    "> you are useless\n\nSummarise this customer mail for me",
    "no problem, thank you",
]


REQUEST = "Write a sorting function in Python"


@pytest.fixture(scope="module")
def verdicts(use):
    return pair_verdicts([(REQUEST, text) for text in COMPLAINTS + CALM], use)


@pytest.mark.parametrize("text", COMPLAINTS)
def test_dissatisfaction_is_found(text, verdicts):
    assert verdicts[REQUEST, text]["complain"] is True


@pytest.mark.parametrize("text", CALM)
def test_what_sounds_alike_is_no_complaint(text, verdicts):
    assert verdicts[REQUEST, text]["complain"] is False


@pytest.mark.parametrize("reply", ["已为您查到明天飞往上海的航班。", "好的，您想坐飞机吗？需要多少人？"])
@pytest.mark.parametrize(
    "text",
    ["不对，我说的是火车票", "不对，我说的是 train，給林小雅訂火車票", "你又答错了", "不是这个意思，我要的是火车票"],
)
def test_a_blunt_chinese_correction_is_found_also_after_a_reply_that_asks(text, reply, use):
    rows = talk("帮我订一张去上海的票", text, reply=reply)
    assert "complain" in found(rows, encoder=use).signals["signal"].to_list()


@pytest.mark.parametrize("text", ["火车，两个人", "坐火车吧", "两个人，不对号入座也行"])
def test_an_answer_to_the_assistants_question_is_no_complaint(text, use):
    rows = talk("帮我订一张去上海的票", text, reply="好的，您想坐飞机吗？需要多少人？")
    assert "complain" not in found(rows, encoder=use).signals["signal"].to_list()


def test_the_phrase_and_the_rule_are_told(use):
    detections = found(talk("Write a sorting function", "It gives me an error: list index out of range"), encoder=use)
    signal = detections.signals.row(0, named=True)
    assert signal["signal"] == "complain"
    assert signal["rule"] == "failure_report"
    assert signal["evidence"]["phrase"].startswith("complain.")
    assert signal["trigger_message_id"] == "u1"


def test_a_second_message_in_a_row_is_read_too(use):
    rows = talk("Write a sorting function", "hm")
    rows.insert(3, {**rows[2], "message_id": "u1b", "text": "That is wrong, you ignored my question", "seq": 2})
    for n, row in enumerate(rows):
        row["seq"] = n
    detections = found(rows, encoder=use)
    assert detections.signals.filter(detections.signals["signal"] == "complain")["trigger_message_id"].to_list() == [
        "u1b"
    ]

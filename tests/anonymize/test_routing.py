"""Which Chinese sentences the model is asked about."""

import pytest

from anonymize.names.route_zh import may_hold_name


@pytest.mark.parametrize(
    "sentence",
    [
        "魏澜昨天没来",
        "我在绵阳工作",
        "石家庄市的天气",
        "文件给小陈看过了",
        "阿依古丽·买买提来了",
        "Tovek昨天来过",
        "他叫慕瑜",
    ],
)
def test_a_sentence_that_may_hold_a_name_is_read(sentence: str) -> None:
    assert may_hold_name(sentence, bytes(len(sentence)))


@pytest.mark.parametrize(
    "sentence",
    ["这个方法的时间复杂度是多少", "请解释一下这段代码", "今天我很高兴", "安全性和可靠性怎么样", "帮我写一个脚本"],
)
def test_a_sentence_of_words_is_spared(sentence: str) -> None:
    assert not may_hold_name(sentence, bytes(len(sentence)))


def test_what_a_rule_has_found_needs_no_model() -> None:
    assert not may_hold_name("魏澜昨天没来", b"\x01\x01" + bytes(4))

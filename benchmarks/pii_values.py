"""Invented personal data of every kind, drawn from a seed: Faker's names and addresses, numbers with valid checks."""

import random
import string
from collections.abc import Callable

from faker import Faker
from stdnum import luhn
from stdnum.cn import ric

_TITLES_EN = ("Mr.", "Mrs.", "Ms.", "Dr.", "Professor")
_TITLES_ZH = ("经理", "老师", "总", "主任", "医生", "律师", "教授", "先生", "女士", "阿姨", "师傅", "局长", "工")
_SURNAMES_ZH = "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯董萧程曹袁邓许傅沈曾彭吕"
# Names that are rarer in generated data than among people: two-character family names, and given names that are words.
_RARE_ZH = (
    "欧阳静怡", "诸葛文轩", "司马清风", "上官婉晴", "慕容雪", "高兴", "安静", "叶子", "石磊", "白云飞", "江南", "温暖",
    "向阳", "成功", "时光", "马小跳", "阿依古丽·买买提", "艾力·吐尔逊", "单于晓", "曾可妮", "乐嘉怡", "仇英子",
)  # fmt: skip
_RARE_EN = (
    "Siobhan O'Rourke", "Anneke van der Meer", "Xochitl Ramirez", "Grace Will", "Mark Hope", "Ngozi Adeyemi",
    "Priya Venkataraman", "Bjørn Dahl", "José Peña", "Thuy Nguyen", "Kwame Mensah", "Ji-woo Park", "Xiaoming Li",
    "Zofia Kowalczyk", "Dmitri Volkov", "Fatima Al-Sayed", "Wei Zhang", "Autumn Reed", "Jean-Luc Moreau",
)  # fmt: skip
_PLACES_EN = (
    "Tucson", "Leeds", "Dundee", "Spokane", "Chattanooga", "Wollongong", "Cork", "Halifax", "Boise", "Porto", "Lyon",
    "Graz", "Nagoya", "Pune", "Kampala", "Medellin", "Fort Collins", "Baton Rouge", "Stoke-on-Trent", "Boston",
    "Chicago", "Toronto", "Berlin", "Wichita Falls", "Bristol", "Des Moines", "Salzburg", "Krakow", "Brno", "Denver",
)  # fmt: skip
_PLACES_ZH = (
    "石家庄", "杭州", "成都", "绵阳", "宜昌", "南通", "赣州", "泉州", "昆明", "乌鲁木齐", "呼和浩特", "深圳南山",
    "北京朝阳区", "上海浦东", "苏州工业园区", "广州天河", "合肥", "芜湖", "襄阳", "洛阳", "株洲", "桂林", "大理",
    "连云港", "江苏省盐城市", "浙江温州", "湖南长沙", "重庆渝北区", "厦门", "佛山顺德",
)  # fmt: skip
_SCHOOLS = {
    "en": ("Ridgeview High School", "Lakemont Community College", "Harlow State University", "St. Brendan's Academy"),
    "zh": ("江城大学", "海川师范学院", "东湖第三中学", "云港职业技术学院"),
}
_PROVINCES = "京津沪渝冀豫云辽黑湘皖鲁苏浙赣鄂桂甘晋陕吉闽贵粤川"
_AREAS = ("110101", "310115", "440305", "330106", "510107", "420111", "320583", "610113", "210202", "350203")
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


class Values:
    """Draws values of a kind in a language.

    Args:
        seed: Equal seeds give equal values, call for call.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._fakers = {"en": Faker("en_US"), "zh": Faker("zh_CN")}
        for faker in self._fakers.values():
            faker.seed_instance(seed)

    def draw(self, kind: str, lang: str) -> tuple[str, str, int]:
        """Draw a value.

        Returns:
            The value as written, the entity type of its span, and how many of its first characters are no part of
            the span (a title before a name).
        """
        for suffix in ("_en", "_zh"):
            if kind.endswith(suffix):
                kind, lang = kind.removesuffix(suffix), suffix[1:]
        entity, make = self._kinds(lang)[kind]
        value = make()
        head = value.index(" ") + 1 if kind == "titled" and lang == "en" else 0
        return value, entity, head

    def _kinds(self, lang: str) -> dict[str, tuple[str, Callable[[], str]]]:
        faker, pick, digits = self._fakers[lang], self._random.choice, self._digits
        zh = lang == "zh"
        return {
            "person": ("PERSON", self._person_zh if zh else self._person_en),
            "given": ("PERSON", (lambda: self._given_zh()) if zh else faker.first_name),
            "surname": ("PERSON", faker.last_name),
            "titled": ("PERSON", self._titled_zh if zh else lambda: f"{pick(_TITLES_EN)} {faker.last_name()}"),
            "nick": ("PERSON", lambda: pick("小老阿") + pick(_SURNAMES_ZH[:30])),
            "place": ("LOCATION", lambda: pick(_PLACES_ZH if zh else _PLACES_EN)),
            "address": ("ADDRESS", self._address_zh if zh else faker.address),
            "address_line": ("ADDRESS", lambda: faker.address().replace("\n", ", ")),
            "street": ("ADDRESS", faker.street_address),
            "po_box": ("ADDRESS", lambda: f"P.O. Box {digits(4)}, {faker.city()}, {faker.state_abbr()} {digits(5)}"),
            "org": ("ORGANIZATION", faker.company if zh else lambda: f"{faker.last_name()} {pick(('Ltd', 'Inc'))}"),
            "school": ("ORGANIZATION", lambda: pick(_SCHOOLS[lang])),
            "phone": ("PHONE", self._mobile_zh if zh else self._phone_en),
            "phone_intl": ("PHONE", lambda: pick((f"+44 7700 900{digits(3)}", f"+49 151 2345{digits(4)}"))),
            "landline": ("PHONE", lambda: f"0{pick(('10', '21', '571', '755', '28'))}-{pick('2345678')}{digits(7)}"),
            "email": ("EMAIL", lambda: f"{faker.user_name()}{digits(2)}@{pick(('example.com', 'mail.example.org'))}"),
            "card": ("CREDIT_CARD", lambda: self._card()),
            "cvv": ("SECRET", lambda: digits(4)),
            "iban": ("IBAN", faker.iban),
            "account": ("BANK_ACCOUNT", lambda: digits(9)),
            "account_cn": ("BANK_ACCOUNT", lambda: "6217" + digits(15)),
            "routing": ("BANK_ACCOUNT", lambda: "021000021"),
            "ssn": ("US_SSN", lambda: self._fakers["en"].ssn()),
            "nhs": ("NATIONAL_ID", self._nhs),
            "mrn": ("NATIONAL_ID", lambda: digits(8)),
            "rid": ("CN_RESIDENT_ID", self._resident_id),
            "passport": ("PASSPORT", lambda: pick("PXCK") + digits(8)),
            "passport_cn": ("PASSPORT", lambda: pick("EG") + digits(8)),
            "plate": ("LICENSE_PLATE", self._plate_zh),
            "plate_us": ("LICENSE_PLATE", lambda: f"{self._letters(3)}-{digits(4)}"),
            "ip": (
                "IP",
                lambda: ".".join(str(self._random.randint(*r)) for r in ((128, 219), (1, 250), (1, 250), (1, 250))),
            ),
            "dob": ("DATE_OF_BIRTH", lambda: self._birthday(zh)),
            "coords": (
                "COORDINATES",
                lambda: f"{self._random.uniform(20, 50):.5f}, {self._random.uniform(60, 140):.5f}",
            ),
            "handle": ("HANDLE", lambda: f"{faker.user_name()}_{digits(2)}"),
            "login": ("HANDLE", lambda: self._fakers["en"].user_name() + digits(2)),
            "wechat": ("WECHAT", lambda: f"{pick(('wxid_', 'wx_', ''))}{self._letters(5).lower()}{digits(4)}"),
            "qq": ("QQ", lambda: pick("123456789") + digits(8)),
            "password": ("SECRET", lambda: f"{self._letters(4)}{pick('!@#$%')}{self._letters(3).lower()}{digits(3)}"),
            "token": ("SECRET", lambda: self._drawn(32)),
            "api_key": ("SECRET", lambda: pick(("sk-", "ghp_")) + self._drawn(36)),
            "btc": ("CRYPTO_WALLET", lambda: self._bitcoin()),
            "eth": ("CRYPTO_WALLET", lambda: "0x" + "".join(pick("0123456789abcdef") for _ in range(40))),
        }

    def _digits(self, count: int) -> str:
        return "".join(self._random.choice(string.digits) for _ in range(count))

    def _letters(self, count: int) -> str:
        return "".join(self._random.choice(string.ascii_uppercase) for _ in range(count))

    def _drawn(self, count: int) -> str:
        return "".join(self._random.choice(string.ascii_letters + string.digits) for _ in range(count - 1)) + "7"

    def _person_en(self) -> str:
        faker = self._fakers["en"]
        if self._random.random() < 0.2:
            return self._random.choice(_RARE_EN)
        return f"{faker.first_name()} {faker.last_name()}"

    def _person_zh(self) -> str:
        return self._random.choice(_RARE_ZH) if self._random.random() < 0.15 else self._fakers["zh"].name()

    def _given_zh(self) -> str:
        """A given name of two characters, as families and friends use it."""
        name = ""
        while len(name) != 2:
            name = self._fakers["zh"].first_name()
        return name

    def _titled_zh(self) -> str:
        return self._random.choice(_SURNAMES_ZH) + self._random.choice(_TITLES_ZH)

    def _address_zh(self) -> str:
        draw = self._random
        if draw.random() < 0.4:
            return self._fakers["zh"].address().rsplit(" ", 1)[0]
        province, city, area = draw.choice(
            (
                ("浙江省", "杭州市", "西湖区"),
                ("江苏省", "南京市", "鼓楼区"),
                ("广东省", "深圳市", "福田区"),
                ("", "上海市", "徐汇区"),
                ("", "北京市", "海淀区"),
                ("四川省", "成都市", "武侯区"),
                ("", "", ""),
            )
        )
        road = draw.choice(
            ("文三路", "中山北路", "科苑南路", "漕溪北路", "学院路", "人民南路四段", "幸福大街", "桃源里")
        )
        house = draw.choice(("{}号", "{}号{}室", "{}号{}栋{}室", "{}弄{}号{}室", "{}号院{}号楼{}单元{}"))
        numbers = [
            str(draw.randint(1, 300)),
            str(draw.randint(1, 40)),
            str(draw.randint(1, 6)),
            str(draw.randint(101, 999)),
        ]
        count = house.count("{}")
        numbers = numbers[: count - 1] + numbers[-1:] if count > 1 else numbers
        return province + city + area + road + house.format(*numbers)

    def _mobile_zh(self) -> str:
        return self._random.choice(("138", "139", "150", "159", "177", "186", "198")) + self._digits(8)

    def _phone_en(self) -> str:
        area, line = self._random.choice(("212", "415", "303", "617", "512")), self._digits(4)
        mid = "555"
        shape = self._random.choice(("({}) {}-{}", "{}-{}-{}", "{}.{}.{}", "+1 {} {} {}", "+1-{}-{}-{}"))
        return shape.format(area, mid, line)

    def _card(self) -> str:
        body = self._random.choice(("4", "51", "55", "34", "6221")) + self._digits(14)
        body = body[:14] if body.startswith("34") else body[:15]
        return body + luhn.calc_check_digit(body)

    def _nhs(self) -> str:
        while True:
            body = self._digits(9)
            check = 11 - sum(int(d) * (10 - i) for i, d in enumerate(body)) % 11
            if check != 10:
                number = body + str(check % 11)
                return f"{number[:3]} {number[3:6]} {number[6:]}"

    def _resident_id(self) -> str:
        draw = self._random
        date = f"{draw.randint(1950, 2012)}{draw.randint(1, 12):02}{draw.randint(1, 28):02}"
        body = draw.choice(_AREAS) + date + self._digits(3)
        return body + ric.calc_check_digit(body)

    def _plate_zh(self) -> str:
        letters = "ABCDEFGHJKLMNPQRSTUVWXYZ"
        return (
            self._random.choice(_PROVINCES)
            + self._random.choice(letters)
            + self._digits(4)
            + self._random.choice(letters)
        )

    def _birthday(self, zh: bool) -> str:
        year, month, day = self._random.randint(1950, 2012), self._random.randint(1, 12), self._random.randint(1, 28)
        if zh:
            return f"{year}年{month}月{day}日"
        return self._random.choice(
            (f"{month:02}/{day:02}/{year}", f"{year}-{month:02}-{day:02}", f"{day} March {year}")
        )

    def _bitcoin(self) -> str:
        return self._random.choice("13") + "".join(self._random.choice(_BASE58) for _ in range(33))

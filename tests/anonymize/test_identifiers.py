"""Structured identifiers: found alone, beside Chinese, and not where the check or the neighbours say no."""

from collections.abc import Callable

import pytest

FOUND = [
    ("mail a.b@example.com ok", "a.b@example.com", "EMAIL"),
    ("发到li.si@example.com吧", "li.si@example.com", "EMAIL"),
    ("jane [at] example [dot] com", "jane [at] example", "EMAIL"),
    ("手机13800138000打不通", "13800138000", "PHONE"),
    ("mobile 13800138000", "13800138000", "PHONE"),
    ("１３８００１３８０００", "１３８００１３８０００", "PHONE"),
    ("call 202-555-0143", "202-555-0143", "PHONE"),
    ("call me on (202) 555-0143 ext. 4", "555-0143", "PHONE"),
    ("ring +44 7700 900123 please", "900123", "PHONE"),
    ("座机 0571-87654321", "0571-87654321", "PHONE"),
    ("Tel: 06 12 34 56 78", "12 34 56", "PHONE"),
    ("我的卡号是4111111111111111，谢谢", "4111111111111111", "CREDIT_CARD"),
    ("pay with 5555 5555 5555 4444", "5555 5555", "CREDIT_CARD"),
    ("IBAN DE89 3704 0044 0532 0130 00 please", "3704 0044", "IBAN"),
    ("汇到GB82WEST12345698765432吧", "GB82WEST12345698765432", "IBAN"),
    ("银行账号：6222000012345678901", "6222000012345678901", "BANK_ACCOUNT"),
    ("account number 123456789 at my bank", "123456789", "BANK_ACCOUNT"),
    ("身份证号110101190001010006的用户", "110101190001010006", "CN_RESIDENT_ID"),
    ("身份证44052419800101001x", "44052419800101001x", "CN_RESIDENT_ID"),
    ("passport no. X1234567 expires", "X1234567", "PASSPORT"),
    ("护照号E12345678", "E12345678", "PASSPORT"),
    ("ssn 078-05-1120", "078-05-1120", "US_SSN"),
    ("her social is 219099999", "219099999", "US_SSN"),
    ("NHS number 943 476 5919", "943 476 5919", "NATIONAL_ID"),
    ("codice RSSMRA85T10A562S", "RSSMRA85T10A562S", "NATIONAL_ID"),
    ("身分證字號A123456789", "A123456789", "NATIONAL_ID"),
    ("车牌京A12345违章", "京A12345", "LICENSE_PLATE"),
    ("my plate is ABC-1234", "ABC-1234", "LICENSE_PLATE"),
    ("服务器203.0.113.9挂了", "203.0.113.9", "IP"),
    ("from 2001:db8::8a2e:370:7334 today", "2001:db8::8a2e", "IP"),
    ("see https://user:pw@host.example/x", "user:pw", "URL_SECRET"),
    ("https://host.example/reset?token=abc123def", "abc123def", "URL_SECRET"),
    ("https://www.linkedin.com/in/jane-q-sample", "jane-q-sample", "URL_SECRET"),
    ("open /Users/jsample/notes.txt", "jsample", "PATH_USER"),
    (r"C:\Users\jsample\x.txt", "jsample", "PATH_USER"),
    ("打开/home/zhangsan01/代码", "zhangsan01", "PATH_USER"),
    ("follow me @sunny_days_77 there", "sunny_days_77", "HANDLE"),
    ("my discord is night_owl#1234", "night_owl#1234", "HANDLE"),
    ("微信号：abc_12345", "abc_12345", "WECHAT"),
    ("加我wxid_a1b2c3d4e5", "wxid_a1b2c3d4e5", "WECHAT"),
    ("我的QQ是123456789", "123456789", "QQ"),
    ("key sk-abcdEFGH1234567890abcdEFGH", "sk-abcd", "SECRET"),
    ("ghp_0123456789abcdefghijABCDEFGHIJ012345", "ghp_", "SECRET"),
    ("Authorization: Bearer abc123DEF456ghi789", "abc123DEF456", "SECRET"),
    ("密码是Zx9!kkqw", "Zx9!kkqw", "SECRET"),
    ("密码Zx9!kkqw，打不开", "Zx9!kkqw", "SECRET"),
    ("AWS_SECRET_ACCESS_KEY=abcd/EFGH1234+ijklMNOP", "EFGH1234", "SECRET"),
    ("born on 3 March 1985 in spring", "3 March 1985", "DATE_OF_BIRTH"),
    ("出生日期：1985年3月3日", "1985年3月3日", "DATE_OF_BIRTH"),
    ("meet at 31.2304, 121.4737 tonight", "31.2304, 121.4737", "COORDINATES"),
    ("40°42'46\"N 74°00'21\"W", "74°00", "COORDINATES"),
    ("send to 0x52908400098527886E0F7030069857D2E4169EE7", "0x5290", "CRYPTO_WALLET"),
    ("btc 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "1A1zP1", "CRYPTO_WALLET"),
    ("I live at 12 Maple Street, Apt 4", "12 Maple Street", "ADDRESS"),
    ("寄到浙江省杭州市西湖区文三路138号2幢301室", "文三路138号", "ADDRESS"),
]

UNTOUCHED = [
    "retry_after=1764412345",
    "created 1764412345678 ms",
    "span_start=1700000000000001",
    "订单号110101190001010007",
    "流水991101011900010100060012",
    "id 6ba7b810-9dad-11d1-80b4-00c04fd430c8",
    "commit 9b2a28eb47540823042a2ba401386845089bb7b6",
    "std::vector<int> v; ns b::c; bind 0.0.0.0",
    "dead::beef and ::1 and 127.0.0.1",
    "numpy 1.26.4 or v10.2.3.4",
    "@dataclass\nclass A:\n    @property\n    def x(self): ...",
    "npm i @types/node",
    "git clone git@github.com:a/b.git",
    "price 1,299.00 or $4,200.50",
    "order 20240315-000123",
    "vec = [0.12345, 0.54321, 0.11111]",
    "password = os.environ['DB_PASSWORD']",
    'export API_KEY="your-api-key-here"',
    "subnet mask 255.255.255.0",
    "11/29 09:12:40 WARN net_probe: slot #4 7104482 -1.25",
    "00:1A:2B:3C:4D:5E",
    "released on 3 March 1985",
    "看https://example.com/doc吧",
    "/usr/local/lib/python3.11/site-packages",
    "ISBN 978-0-306-40615-7",
    "我今年30岁，2024年3月15日见",
    "https://host.example/stable/tutorials/colors.html",
    "**Token Handling** and **Password Storage**",
    "SELECT a FROM b JOIN c ON id = target_table",
    "The French and German versions differ.",
]


@pytest.mark.parametrize(("text", "value", "entity"), FOUND)
def test_an_identifier_is_masked(masked: Callable[[str, str, str], bool], text: str, value: str, entity: str) -> None:
    assert masked(text, value, entity)


@pytest.mark.parametrize("text", UNTOUCHED)
def test_what_is_no_identifier_stays(mask: Callable[[str], str], text: str) -> None:
    assert mask(text) == text

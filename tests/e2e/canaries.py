"""Values that are planted in the input of a run: one of every kind of personal data, all invented."""

from collections.abc import Iterator

CANARIES = {
    "person": "Wilhelmina Thackeray",
    "人名": "欧阳晓岚",
    "e-mail": "canary.fox@example.org",
    "mobile": "13977770101",
    "telephone": "+44 7700 900477",
    "card": "4539 1488 0343 6467",
    "IBAN": "NL91ABNA0417164300",
    "resident id": "330102199211073012",
    "passport": "E90417733",
    "US number": "219-09-7741",
    "plate": "浙A7K3M9",
    "IP address": "198.51.100.77",
    "key": "sk-canary9Xk2mQ7vL4nP8wR3tZ6yB1cD5",
    "password": "Kx7!canary-pw",
    "wallet": "0x8ba1f109551bD432803012645Ac136ddd64DBA72",
    "WeChat": "canary_wx_2026",
    "QQ": "3012345678",
    "path": "wthackeray",
    "handle": "canary_on_air",
    "birth": "7 November 1992",
    "生日": "1992年11月7日",
    "street": "418 Larkmeadow Lane",
    "地址": "青竹巷118号6幢402室",
    "place": "31.2304, 121.4737",
    "link": "canarytoken77",
}
ENGLISH = (
    "My name is {person}. Mail {e-mail} or call {telephone}, mobile {mobile}. My card {card} and IBAN {IBAN}. "
    "Resident id {resident id}, passport number {passport}, SSN {US number}, plate {plate}. Born on {birth}. "
    "Server {IP address}, key {key}, password: {password} and wallet {wallet}. WeChat id: {WeChat}, QQ {QQ}. "
    "See /home/{path}/notes.txt, follow @{handle}, I live at {street}. Meet at {place}. "
    "https://files.example.com/reset?token={link}"
)
CHINESE = (
    "我叫{人名}，邮箱{e-mail}，手机{mobile}，卡号{card}，IBAN {IBAN}。身份证{resident id}，护照{passport}，"
    "车牌{plate}，生日{生日}。服务器{IP address}挂了，密钥{key}，密码是{password}，钱包{wallet}。"
    "微信号{WeChat}，QQ{QQ}，打开/home/{path}/代码，关注@{handle}，家住浙江省杭州市西湖区{地址}，定位{place}，"
    "链接https://files.example.com/reset?token={link}"
)
WIDE = str.maketrans({chr(c): chr(c + 0xFEE0) for c in (*range(0x30, 0x3A), *range(0x41, 0x5B), *range(0x61, 0x7B))})


def wide(value: str) -> str:
    return value.translate(WIDE)


def broken(value: str) -> str:
    """A value with an invisible character in its middle, as some editors leave it."""
    return value[: len(value) // 2] + "\u200b" + value[len(value) // 2 :]


def carriers() -> Iterator[str]:
    """The texts that hold the canaries: in two languages, as they are, in full width, with an invisible character."""
    for carrier in (ENGLISH, CHINESE):
        for spell in (str, wide, broken):
            # A name in full-width letters or with a character in it is another word; values with a shape are not.
            shaped = {k: v if k in ("person", "人名", "地址", "street") else spell(v) for k, v in CANARIES.items()}
            yield carrier.format_map(shaped)

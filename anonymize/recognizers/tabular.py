"""Tables in a text: a heading says what its column holds, where nothing beside the cell does."""

import re
from collections.abc import Iterator

from anonymize.names.lists import lists
from anonymize.recognizers.base import SHAPED, Hit, RuleRecognizer
from anonymize.view import View

_HEADINGS = (
    ("PERSON", "name|full name|姓名|名字|联系人|客户姓名|收件人|employee|customer name|contact|patient|student"),
    ("PHONE", "phone|mobile|tel|telephone|phone number|cell|手机|手机号|手机号码|电话|联系电话|联系方式"),
    ("EMAIL", "email|e-mail|mail|邮箱|电子邮箱|电子邮件"),
    ("DATE_OF_BIRTH", "dob|date of birth|birthday|birth date|出生日期|生日|出生年月"),
    ("LOCATION", "city|town|hometown|城市|籍贯|所在城市"),
    ("ADDRESS", "address|street|street address|住址|地址|家庭住址|收货地址"),
    ("CN_RESIDENT_ID", "身份证|身份证号|身份证号码|证件号"),
    ("PASSPORT", "passport|passport no|passport number|护照|护照号"),
    ("BANK_ACCOUNT", "account number|银行卡号|卡号|银行账号"),
    ("WECHAT", "wechat|微信|微信号"),
    ("QQ", "qq|qq号"),
)
_ENTITY = {heading: entity for entity, headings in _HEADINGS for heading in headings.split("|")}
_SEPARATORS = ("|", "\t", ",", ";", "、")
_LEAST_PERSONAL, _MOST_ROWS, _LONGEST_CELL, _LONGEST_LINE = 2, 500, 60, 400
_SHORTEST_HEADING = 5
_RULE = re.compile(r"[ :|+-]{0,400}")
_LAST_WORD = re.compile(r" [a-z -]{1,20}$")


class TabularRecognizer(RuleRecognizer):
    """Finds the cells of columns whose headings name personal data, in CSV and in tables of marks."""

    ENTITIES = tuple(entity for entity, _ in _HEADINGS)

    def find(self, view: View) -> Iterator[Hit]:
        """Yield cells. A table counts where two headings or more name personal data."""
        if "\n" not in view.text:
            return
        columns: dict[int, str] = {}
        separator, width, rows, at = "", 0, 0, 0
        for line in view.text.split("\n"):
            start, at = at, at + len(line) + 1
            if len(line) > _LONGEST_LINE:
                columns = {}
                continue
            if len(line) < _SHORTEST_HEADING and not columns:
                continue
            if columns:
                cells = list(_cells(line, separator))
                if len(cells) == width and rows < _MOST_ROWS:
                    rows += 1
                    yield from _row(start, cells, columns)
                    continue
                if _RULE.fullmatch(line):
                    continue
                columns = {}
            separator, columns = _heading(line)
            width, rows = len(list(_cells(line, separator))) if columns else 0, 0


def _row(start: int, cells: list[tuple[int, str]], columns: dict[int, str]) -> Iterator[Hit]:
    """Yield the personal cells of a row."""
    for number, entity in columns.items():
        offset, cell = cells[number]
        known = entity == "LOCATION" and cell.lower() in lists().not_names
        if 1 < len(cell) <= _LONGEST_CELL and any(c.isalnum() for c in cell) and not known:
            yield Hit(start + offset, start + offset + len(cell), SHAPED, entity)


def _heading(line: str) -> tuple[str, dict[int, str]]:
    """The separator of a heading line with the entity types of its personal columns; none where it is no heading."""
    lower = line.lower()
    for separator in _SEPARATORS:
        if separator in lower:
            columns = {}
            for number, (_, cell) in enumerate(_cells(lower, separator)):
                heading = cell.strip("\"'*_ ")
                # A heading may be said twice, in two languages.
                entity = _ENTITY.get(heading) or _ENTITY.get(_LAST_WORD.sub("", heading))
                if entity is not None:
                    columns[number] = entity
            if len(columns) >= _LEAST_PERSONAL:
                return separator, columns
    return "", {}


def _cells(line: str, separator: str) -> Iterator[tuple[int, str]]:
    """Cells of a line with their offsets, without blanks and quotes around them."""
    at = 0
    for cell in line.split(separator):
        plain = cell.strip(" \"'*")
        yield at + (cell.find(plain) if plain else 0), plain
        at += len(cell) + len(separator)

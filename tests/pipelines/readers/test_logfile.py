import json

from pipelines.readers.logfile import LogFile
from pipelines.readers.raw import Refusal
from schemas.reasons import Reason
from tests.pipelines.readers.kit import LIMIT, items, opened

TALK = [{"id": "s1", "conversations": [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello"}]}]


def test_a_file_that_comes_with_an_export_is_known_and_holds_no_records(tmp_path):
    for name, content in (("user.json", {"id": "u"}), ("chat.html", "<html></html>")):
        path = tmp_path / name
        path.write_text(json.dumps(content) if isinstance(content, dict) else content)
        log = opened(path)
        assert isinstance(log, LogFile)
        assert (log.format.name, list(log.records(LIMIT))) == ("chatgpt", [])


def test_a_file_of_that_name_that_holds_conversations_is_read(tmp_path):
    assert len(items(tmp_path, "user.json", TALK)) == 2


def test_json_that_nobody_recognises_is_refused_as_such(tmp_path):
    assert items(tmp_path, "a.json", {"temperature": 3}) == [Refusal(Reason.FORMAT_UNKNOWN)]


def test_lines_that_nobody_recognises_are_refused_one_by_one(tmp_path):
    found = items(tmp_path, "a.jsonl", [{"temperature": 3}, {"temperature": 4}])
    assert found == [Refusal(Reason.MISSING_KEY, "kind")] * 2


def test_a_declared_format_is_not_guessed_at(tmp_path):
    assert [type(i) for i in items(tmp_path, "a.json", TALK, {"format": "dify"})] == [Refusal]

import json
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from server import Server, completion, serving, verdict

from pipelines.second.chat import Chat, SecondReaderFault
from pipelines.second.question import SCHEMA, question
from pipelines.second.question import verdict as read
from pipelines.settings_groups import SecondReaderGroup
from schemas.errors import ConfigError

ASKED = [{"role": "user", "content": "{}"}]
BUSY = (503, {}, b"")


def ask(server, **settings):
    """Put one question; gives what came of it and the waits between tries."""
    waits = []
    with serving(server) as url:
        chat = Chat(SecondReaderGroup(url=url, model="reader", **{"timeout_s": 5.0, **settings}), waits.append)
        try:
            return chat.ask(chat.payload(ASKED, SCHEMA)), waits
        finally:
            chat.close()


def test_a_structured_answer_is_read_with_what_it_cost():
    server = Server(verdict("confirmed"))
    reply, waits = ask(server)
    assert (reply.answer, reply.why, reply.tokens) == ({"verdict": "confirmed", "confidence": 0.9}, "answered", 120)
    assert waits == []
    [body] = server.bodies
    assert server.paths == ["/v1/chat/completions"]
    assert body["model"] == "reader"
    assert body["temperature"] == 0
    assert body["response_format"]["json_schema"]["strict"] is True
    assert body["response_format"]["json_schema"]["schema"]["properties"]["verdict"]["enum"] == [
        "confirmed", "rejected", "unsure",
    ]  # fmt: skip
    assert "Authorization" not in server.headers[0]


def test_a_key_is_read_from_its_file_and_sent(tmp_path):
    (tmp_path / "key").write_text("sk-test\n")
    server = Server(verdict("confirmed"))
    ask(server, api_key_file=tmp_path / "key")
    assert server.headers[0]["Authorization"] == "Bearer sk-test"


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (completion(None, refusal="I cannot help with that."), "refused"),
        (completion("", finish_reason="content_filter"), "refused"),
        (completion('{"verdict": "conf', finish_reason="length"), "cut"),
        (completion("Sure! It is confirmed."), "malformed"),
        (completion("[1, 2]"), "malformed"),
        (completion("[" * 100_000), "malformed"),
        (completion(None), "malformed"),
        ((200, {}, b"<html>busy</html>"), "malformed"),
        ((200, {}, b""), "malformed"),
        ((200, {}, b'{"choices": []}'), "malformed"),
        ((200, {}, b'{"choices": [{"message": null}]}'), "malformed"),
        ((200, {}, b"[[]]"), "malformed"),
        ((200, {}, b"\xff\xfe\x00"), "malformed"),
    ],
)
def test_what_is_no_answer_is_named_and_not_asked_again(answer, why):
    server = Server(answer)
    reply, _ = ask(server)
    assert (reply.answer, reply.why) == (None, why)
    assert len(server.bodies) == 1
    assert reply.tokens > 0


@pytest.mark.parametrize("said", [None, -5, "many", True])
def test_a_cost_that_is_not_stated_is_guessed_and_never_free(said):
    body = json.loads(completion('{"verdict": "unsure", "confidence": 0.5}')[2])
    body["usage"] = {"total_tokens": said}
    reply, _ = ask(Server((200, {}, json.dumps(body).encode())))
    assert reply.tokens > 200


def test_a_busy_server_is_asked_again_with_longer_waits():
    reply, waits = ask(Server(BUSY, BUSY, (500, {}, b"oops"), verdict("rejected")))
    assert reply.answer["verdict"] == "rejected"
    assert waits == [0.5, 1.0, 2.0]


@pytest.mark.parametrize(("after", "least", "most"), [("7", 7, 7), ("0", 0, 0), ("9999", 60, 60), ("soon", 0.5, 0.5),
                                                      ("-3", 0.5, 0.5), ("nan", 0.5, 0.5)])  # fmt: skip
def test_the_wait_that_the_server_asks_for_is_kept_up_to_a_minute(after, least, most):
    reply, waits = ask(Server((429, {"Retry-After": after}, b"{}"), verdict("confirmed")))
    assert reply.why == "answered"
    assert least <= waits[0] <= most


def test_a_wait_may_be_given_as_a_date():
    at = format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True)
    _, waits = ask(Server((429, {"Retry-After": at}, b""), verdict("confirmed")))
    assert 10 < waits[0] <= 20


def test_a_server_that_stays_busy_is_given_up():
    server = Server(BUSY)
    reply, waits = ask(server, retries=2)
    assert (reply.why, reply.tokens, len(server.bodies), len(waits)) == ("unreached", 0, 3, 2)


@pytest.mark.parametrize("how", ["hang", "drip", "flood", "hang_up"])
def test_a_server_that_hangs_drips_floods_or_hangs_up_costs_no_more_than_the_time_out(how):
    server = Server(verdict("confirmed"))
    server.script = [getattr(server, how)]
    start = time.monotonic()
    reply, _ = ask(server, timeout_s=0.4, retries=1)
    assert (reply.why, len(server.bodies)) == ("unreached", 2)
    assert time.monotonic() - start < 8


def test_a_server_that_is_not_there_is_unreached():
    chat = Chat(SecondReaderGroup(url="http://127.0.0.1:9/v1", model="m", retries=1), lambda _: None)
    assert chat.ask(chat.payload(ASKED, SCHEMA)).why == "unreached"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422, 307])
def test_a_wrong_key_address_or_model_ends_it_at_once(status):
    server = Server((status, {"Location": "http://127.0.0.1:9/elsewhere"}, b'{"error": "li.si@example.com"}'))
    with pytest.raises(SecondReaderFault) as ended:
        ask(server)
    assert len(server.bodies) == 1
    assert str(status) in str(ended.value)
    assert "li.si" not in str(ended.value)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.com/v1",
        "ftp://example.com",
        "http://example.com/v1",
        "http://10.0.0.7/v1",
        "http://localhost.example.com/v1",
        "http://127.0.0.1.example.com",
        "http://[::1",
        "https://",
    ],
)
def test_texts_go_nowhere_unencrypted_but_to_this_machine(url):
    with pytest.raises(ConfigError):
        Chat(SecondReaderGroup(url=url, model="m"))


@pytest.mark.parametrize("url", ["https://example.com/v1/", "http://localhost:8000/v1", "http://[::1]:8000/v1"])
def test_encrypted_addresses_and_this_machine_will_do(url):
    Chat(SecondReaderGroup(url=url, model="m")).close()


@pytest.mark.parametrize("content", ["", "  \n", "a\nb", "schlüssel"])
def test_a_key_file_without_a_key_is_refused(tmp_path, content):
    (tmp_path / "key").write_text(content)
    for file in (tmp_path / "key", tmp_path / "absent"):
        with pytest.raises(ConfigError):
            Chat(SecondReaderGroup(url="http://127.0.0.1:9/v1", model="m", api_key_file=file))


@pytest.mark.parametrize(
    ("answer", "verdict", "confidence"),
    [
        ({"verdict": "confirmed", "confidence": 1}, "confirmed", 1.0),
        ({"verdict": "rejected"}, "rejected", None),
        ({"verdict": "unsure", "confidence": 7}, "unsure", None),
        ({"verdict": "unsure", "confidence": "high"}, "unsure", None),
        ({"verdict": "unsure", "confidence": True}, "unsure", None),
        ({"verdict": "unsure", "confidence": float("nan")}, "unsure", None),
    ],
)
def test_a_confidence_that_is_none_is_null(answer, verdict, confidence):
    found = read(answer)
    assert (found.verdict, found.confidence) == (verdict, confidence)


@pytest.mark.parametrize("answer", [{}, {"verdict": "yes"}, {"verdict": ["confirmed"]}, {"verdict": None}])
def test_an_answer_of_another_structure_holds_no_verdict(answer):
    assert read(answer) is None


def test_a_question_holds_both_ends_of_long_messages_and_needs_text_on_both_sides():
    row = {"text": "begin " + "x" * 5000 + " end"}
    system, user = question("complain", {"request": row, "reply": None, "next": {"text": "no!"}}, 200)
    said = json.loads(user["content"])
    assert said["request"].startswith("begin")
    assert said["request"].endswith("end")
    assert len(said["request"]) < 220
    assert set(said) == {"request", "next_message"}
    assert "Complain" in system["content"]
    assert question("complain", {"request": row, "next": {"text": None}}, 200) is None
    assert question("complain", {"request": None, "next": row}, 200) is None

"""Nothing raw: what stood in the input, and tells who somebody is, is found in nothing that a run leaves behind."""

import json
import os
import sqlite3
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from pipelines.cli.errors import errors_in_words
from pipelines.engine import pool_of
from pipelines.night import run_night
from pipelines.readers.landing import landing_days
from pipelines.steps import door as door_step
from tests.conftest import SAMPLES, settings_for
from tests.e2e.canaries import CANARIES, CHINESE, ENGLISH, carriers
from tests.e2e.scanner import SHAPES, Artefacts, landed, plain, strings
from warehouse.layout import Warehouse

# What the shapes find in the samples and what stays, by the choices that the project has made.
STAYS = {
    "git@git.example.com": "the account of every git server, not a person's",
    "127.0.0.1": "loopback",
    "0.0.0.0": "the unspecified address",  # noqa: S104
}
# Who and what was planted in samples/conversations, beside what has a shape. Given names that stand alone come last.
PLANTED = (
    """
Joanna Lindqvist|jlindqvist|mkowalczyk|hunter2-Fake|t.varga|Gary Nwosu|zhangwei|yanhe|linhaoran|t0ken-fake-9911
Qingya@2026db|9f8e7d6c5b4a39281706fedcba|Harriet Osgood|14 Orchard Lane|020 7946 0123|Desmond Pryce
7 Quayside Terrace|BS1 6UB|Alex Rivera|王晓彤|晓彤|lin_kefan88|Evangeline Tso|4810 Pinecrest Avenue|AZ 85701
Beatriz Falcão|bea_falcao|03/09/2021|Brackwell Logistics|LK21 ZTR|221 Larkspur Road|LS6 2QP|mudlark_runners
Marta Reinholt|14 March 1984|+49 30 23125 014|219-09-9999|531206647|Okonkwo-Reyes|Tallulah Brandt|07700 900812
阿峰爱爬山|3000000087|afeng_mountain88|孙桂芳|韩雨桐|柳树胡同27号院|粤B·0H5K6|粤BD00123|独孤文清|DUGU|WENQING
E00001234|1988-06-16|晚晴街8號|陈静|吴建民|梧桐里路188号|0571-88000012|闵乐乐|2022年5月9日|欧阳晓晴
王经理|小李|赵敏|司马青云|张总|李主任|021-55500199|周国栋|林秀梅|苏州明禾精密五金有限公司|郭梓涵|1992年3月3日|zihan_guo92
3000000012|上官云飞|诸葛慧|诸葛女士|马师傅|石湖东路66号|翠湖苑9栋302室|王奶奶|方磊|尉迟小满|小满|2026年10月9日|钟守津
桃坞东路9号|晨光菜市场12号摊|豆花芳|010-55500177|400-000-0199|480215|30.6571,104.0817|刘大夫|+852 5550 0123
""".strip()
    .replace("\n", "|")
    .split("|")
)
GIVEN = ["Callum", "Imogen", "Rafferty", "Stellan", "Bex", "Daniel", "Dana", "Luis"]
REFUSED = ["Ottoline", "Kessel", "Odalys", "Ferrand", "lev.anders", "赵思远", "Gärtnerstraße"]


@pytest.fixture
def canary_landing(tmp_path: Path) -> Path:
    """Every text field there is, each with every kind of canary; ids and labels that are personal data themselves."""
    rows = []
    for number, text in enumerate(carriers()):
        base = {"conversation_id": f"c{number}", "source": "canary.fox@example.org", "user_id": CANARIES["mobile"]}
        for second, role in enumerate(("system", "user", "tool", "assistant")):
            rows.append(
                base
                | {"kind": "message", "message_id": f"m{second}", "role": role, "content": text}
                | {"created_at": f"2026-11-02T10:00:0{second}Z", "model": "tuned-for-canary.fox@example.org"}
            )
        event = {"kind": "event", "message_id": "m3", "event": "thumbs_down", "at": "2026-11-02T10:01:00Z"}
        rows += [base | event | {"text": text}, rows[-1] | {"unknown_key": text}]
    rows.append({"kind": "message", "role": "user", "content": ENGLISH.format_map(CANARIES)})  # refused
    folder = tmp_path / "landing" / "dt=2026-11-02"
    folder.mkdir(parents=True)
    (folder / "log.jsonl").write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows))
    return tmp_path / "landing"


def found_in(artefacts: Artefacts, values: dict[str, str]) -> dict[str, list[str]]:
    return {kind: places for kind, value in values.items() if (places := artefacts.holding(value))}


@pytest.fixture(scope="module")
def sample_artefacts(sample_night) -> Artefacts:
    settings = sample_night.settings
    return Artefacts([settings.warehouse, settings.home])


@pytest.fixture(scope="module")
def landed_texts() -> list[str]:
    return sorted({text for record in landed(SAMPLES / "landing") for text in strings(record)})


@pytest.mark.parametrize("kind", SHAPES)
def test_no_value_of_a_telling_shape_survives_the_sample_night(sample_artefacts, landed_texts, kind):
    values = {plain(m.group()) for text in landed_texts for m in SHAPES[kind].finditer(text)} - set(STAYS)
    assert values
    assert {v: places for v in sorted(values) if (places := sample_artefacts.holding(v))} == {}


def test_no_user_id_survives_the_sample_night(sample_artefacts):
    users = {r["user_id"] for r in landed(SAMPLES / "landing") if isinstance(r.get("user_id"), str)}
    assert len(users) > 50
    assert {u: places for u in sorted(users) if (places := sample_artefacts.holding(u))} == {}


@pytest.mark.parametrize("value", PLANTED + REFUSED)
def test_nobody_planted_in_the_samples_survives(sample_artefacts, value):
    assert sample_artefacts.holding(value) == []


@pytest.mark.parametrize("name", GIVEN)
def test_no_given_name_of_a_planted_person_survives(sample_artefacts, name):
    assert sample_artefacts.holding(name, word=True) == []


def test_the_scanner_finds_a_short_name_as_a_value_and_not_among_numbers(tmp_path):
    noise = b"\x01 bex\x02\xff" * 9
    con = sqlite3.connect(tmp_path / "kept.sqlite")
    con.execute("CREATE TABLE kept (key BLOB)")
    con.execute("INSERT INTO kept VALUES (?)", [noise])
    con.commit()
    assert Artefacts([tmp_path]).holding("Bex", word=True) == []
    for value in ("said Bex", b"said Bex"):
        con.execute("DELETE FROM kept")
        con.execute("INSERT INTO kept VALUES (?)", [value])
        con.commit()
        assert len(Artefacts([tmp_path]).holding("Bex", word=True)) == 1
    con.close()


def test_the_scanner_finds_what_is_there(canary_landing):
    artefacts = Artefacts([canary_landing])
    assert set(found_in(artefacts, CANARIES)) == set(CANARIES)


@pytest.mark.slow
def test_canaries_of_every_kind_in_every_field_leave_no_trace(tmp_path, canary_landing):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    command = [sys.executable, "-m", "pipelines", "run", "--all", "--workers", "2"]
    command += ["--landing", str(canary_landing), "--warehouse", str(tmp_path / "warehouse")]
    environment = {"PATH": os.environ["PATH"], "TACIT_HOME": str(tmp_path / "home"), "TMPDIR": str(temporary)}
    environment |= {"TACIT_BUCKETS": "3", "PYTHONPATH": str(SAMPLES.parent)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    left = [p for p in tmp_path.iterdir() if p != canary_landing]
    assert found_in(Artefacts(left, [done.stdout, done.stderr]), CANARIES) == {}
    messages = Warehouse(tmp_path / "warehouse").scan("messages").collect()
    assert messages.height == 4 * len(list(carriers()))
    assert messages["source"].n_unique() == messages["model"].n_unique() == 1


def test_a_task_that_fails_with_a_message_in_its_hands_says_nothing_of_it(
    tmp_path, canary_landing, monkeypatch, capfd, caplog
):
    settings = settings_for(tmp_path, landing=canary_landing, workers=1)

    def failing(record, *_):
        raise ValueError(f"cannot shape {record.content}")

    monkeypatch.setattr(door_step, "message_row", failing)
    with pytest.raises(SystemExit) as end, errors_in_words():
        run_night(settings, landing_days(canary_landing))
    captured = capfd.readouterr()
    assert end.value.code == 1
    assert "ValueError" in captured.err
    left = [settings.warehouse, settings.home]
    assert found_in(Artefacts(left, [captured.out, captured.err, caplog.text]), CANARIES) == {}


def fail_with(text: str, unit: int) -> int:
    """What a worker process runs below."""
    raise ValueError(f"unit {unit}: {text}")


def test_a_worker_that_fails_with_a_message_in_its_hands_says_nothing_of_it(capfd, caplog):
    text = ENGLISH.format_map(CANARIES) + CHINESE.format_map(CANARIES)
    with pytest.raises(SystemExit), errors_in_words(), pool_of(2) as pool:
        pool.map(partial(fail_with, text), [1, 2], lambda _: None)
    captured = capfd.readouterr()
    assert "ValueError" in captured.err
    assert found_in(Artefacts([], [captured.out, captured.err, caplog.text]), CANARIES) == {}

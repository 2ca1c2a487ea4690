"""A run reaches for no network: with every way out of the machine shut, the whole sample night passes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY, SAMPLES

# Python runs a module of this name at the start of every process, the workers' too. A try to reach out is written down
# as well as refused, since a library may swallow the error.
GUARD = """
import os, socket

def _refuse(what):
    def guarded(*arguments, **options):
        sock = arguments[0] if arguments and isinstance(arguments[0], socket.socket) else None
        if sock is not None and sock.family == getattr(socket, "AF_UNIX", None):
            return _real[what](*arguments, **options)
        with open(os.environ["REACHED_OUT"], "a") as file:
            file.write(what + "\\n")
        raise OSError("the network is shut")
    return guarded

_real = {}
for name in ("connect", "connect_ex", "sendto", "sendmsg"):
    _real[name] = getattr(socket.socket, name)
    setattr(socket.socket, name, _refuse(name))
for name in ("getaddrinfo", "gethostbyname", "gethostbyname_ex", "gethostbyaddr", "getnameinfo", "create_connection"):
    _real[name] = getattr(socket, name)
    setattr(socket, name, _refuse(name))
open(os.environ["REACHED_OUT"] + ".guarded", "a").write(f"{os.getpid()}\\n")
"""


@pytest.fixture
def shut(tmp_path):
    """Runs Python with the network shut; gives the finished process and what reached out."""
    (tmp_path / "guard").mkdir()
    (tmp_path / "guard" / "sitecustomize.py").write_text(GUARD)
    log = tmp_path / "reached-out"
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "TACIT_HOME": str(tmp_path / "home"),
        "PYTHONPATH": os.pathsep.join([str(tmp_path / "guard"), str(REPOSITORY)]),
        "REACHED_OUT": str(log),
    }

    def run(*arguments: str) -> tuple[subprocess.CompletedProcess, list[str], int]:
        done = subprocess.run(
            [sys.executable, *arguments], capture_output=True, text=True, check=False, env=environment, cwd=tmp_path
        )
        reached = log.read_text().splitlines() if log.exists() else []
        return done, reached, len(set(Path(f"{log}.guarded").read_text().splitlines()))

    return run


@pytest.mark.parametrize(
    "code",
    [
        "import socket; socket.create_connection(('127.0.0.1', 9))",
        "import urllib.request; urllib.request.urlopen('http://localhost:9/')",
        "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 9))",
        "import socket; socket.gethostbyname('localhost')",
        "import asyncio; asyncio.run(asyncio.open_connection('127.0.0.1', 9))",
    ],
)
def test_the_guard_sees_who_reaches_out(shut, code):
    done, reached, _ = shut("-c", code)
    assert done.returncode != 0
    assert reached


def test_sockets_within_the_machine_are_left_alone(shut):
    code = "import socket; a = socket.socket(socket.AF_UNIX); a.bind('s'); a.listen(); "
    code += "b = socket.socket(socket.AF_UNIX); b.connect('s')"
    done, reached, _ = shut("-c", code)
    assert (done.returncode, reached) == (0, []), done.stderr


def test_the_whole_sample_night_passes_with_the_network_shut(shut, tmp_path):
    run = ["-m", "pipelines", "run", "--all", "--workers", "2"]
    run += ["--landing", str(SAMPLES / "landing"), "--warehouse", str(tmp_path / "warehouse")]
    done, reached, processes = shut(*run)
    assert done.returncode == 0, done.stderr
    assert reached == []
    assert processes >= 3  # this one, and workers that loaded the models
    assert list((tmp_path / "warehouse" / "signals").glob("dt=*/part.parquet"))


@pytest.mark.slow
def test_the_other_commands_that_touch_text_pass_too(shut, tmp_path):
    (tmp_path / "note.txt").write_text("I am Joanna Lindqvist, 电话13800138000\n")
    done, reached, _ = shut("-m", "pipelines", "anonymize", "note.txt")
    assert (done.returncode, reached) == (0, []), done.stderr
    assert "Joanna" not in done.stdout
    done, reached, _ = shut("-m", "pipelines", "doctor")
    assert (done.returncode, reached) == (0, []), done.stderr

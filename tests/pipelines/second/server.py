"""A small server that speaks the chat-completions protocol on the loopback, well or badly, as a test tells it to."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, dict[str, str], bytes]


def completion(content: str | None, *, tokens: int | None = 120, **message: Any) -> Answer:
    """A well-formed completion with any content."""
    choice = {"index": 0, "finish_reason": message.pop("finish_reason", "stop")}
    body: dict[str, Any] = {"id": "x", "object": "chat.completion", "choices": [
        choice | {"message": {"role": "assistant", "content": content} | message}]}  # fmt: skip
    if tokens is not None:
        body["usage"] = {"prompt_tokens": tokens - 20, "completion_tokens": 20, "total_tokens": tokens}
    return 200, {}, json.dumps(body).encode()


def verdict(said: str, confidence: float = 0.9) -> Answer:
    """A completion that holds a verdict."""
    return completion(json.dumps({"verdict": said, "confidence": confidence}))


class Server:
    """What it was sent, and what it answers: one entry of `script` a call, the last one for ever.

    An entry is an answer, or a function that is given the handler and answers as it likes.
    """

    def __init__(self, *script: Answer | Callable[[BaseHTTPRequestHandler], None]) -> None:
        self.script, self.bodies, self.headers, self.paths = list(script), [], [], []
        self.ending = threading.Event()
        self._lock = threading.Lock()

    def handle(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        with self._lock:
            self.bodies.append(json.loads(body))
            self.headers.append(dict(handler.headers))
            self.paths.append(handler.path)
            step = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if callable(step):
            step(handler)
            return
        status, headers, data = step
        handler.send_response(status)
        for name, value in ({"Content-Type": "application/json", "Content-Length": str(len(data))} | headers).items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(data)

    def hang(self, _handler: BaseHTTPRequestHandler) -> None:
        """Says nothing until the test is over."""
        self.ending.wait(30)

    def drip(self, handler: BaseHTTPRequestHandler) -> None:
        """Sends a byte now and then, for ever, so that no single read takes long."""
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.end_headers()
        while not self.ending.wait(0.02):
            handler.wfile.write(b" ")
            handler.wfile.flush()

    @staticmethod
    def flood(handler: BaseHTTPRequestHandler) -> None:
        """Sends more than any answer is."""
        handler.send_response(200)
        handler.end_headers()
        for _ in range(64):
            handler.wfile.write(b" " * (1 << 16))

    @staticmethod
    def hang_up(handler: BaseHTTPRequestHandler) -> None:
        """Ends the connection in mid-answer."""
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        handler.wfile.write(b'{"choices": [')
        handler.connection.close()


@contextmanager
def serving(server: Server) -> Iterator[str]:
    """Run it; gives the address for `second_reader.url`."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            try:
                server.handle(self)
            except OSError:
                return  # the client has gone

        def log_message(self, *_: Any) -> None:
            return

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{http.server_port}/v1"
    finally:
        server.ending.set()
        http.shutdown()
        http.server_close()
        thread.join(5)
        time.sleep(0)

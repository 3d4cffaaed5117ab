"""A real HTTP server on this machine that answers as a test wants it to."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    """Reads what is sent, and answers, whether or not who asked still waits."""

    protocol_version = "HTTP/1.1"

    def received(self) -> bytes:
        """The body of the request."""
        return self.rfile.read(int(self.headers["Content-Length"] or 0))

    def answer(
        self, content: bytes, status: int = 200, headers: Mapping[str, str] | None = None
    ) -> None:
        """Send this."""
        try:
            self.send_response(status)
            for name, value in {**(headers or {}), "Content-Length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)
        except OSError:
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """Who asked did not wait."""


@contextmanager
def serving(handler: type[Handler]) -> Iterator[str]:
    """Run a server on a free port; gives its address."""
    server = _Server(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

"""A preview of the published pages on this machine, with the headers a web server should send."""

from __future__ import annotations

import functools
import logging
import re
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

log = logging.getLogger(__name__)

POLICY = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
"""The Content-Security-Policy the pages are made for: no script, nothing from elsewhere."""


SEARCH_POLICY = f"{POLICY}; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'"
"""That of search pages: a script of ours, which asks the index beside the pages (WebAssembly)."""
_SEARCH = re.compile(r"/[a-z0-9-]+/search/(?:index\.html)?(?:\?.*)?")


class _Pages(SimpleHTTPRequestHandler):
    extensions_map = SimpleHTTPRequestHandler.extensions_map | {".txt": "text/plain; charset=utf-8"}

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", SEARCH_POLICY if _SEARCH.fullmatch(self.path) else POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the library's name
        log.debug("preview: %s", format % args)


class Preview:
    """Serves a folder on loopback. Port 0 takes a free one. Raises OSError when the port is taken."""

    def __init__(self, folder: Path, port: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        pages = functools.partial(_Pages, directory=str(folder))
        self._server = ThreadingHTTPServer(("127.0.0.1", port), pages)
        self._thread = threading.Thread(target=self._server.serve_forever, name="preview", daemon=True)
        self.url = f"http://127.0.0.1:{self._server.server_port}/"

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

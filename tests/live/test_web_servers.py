"""nginx and Caddy with the files in deploy/web: the pages, their headers, and a new version the moment it is up."""

from __future__ import annotations

import http.client
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from pbem.service.web import POLICY, SEARCH_POLICY
from tests.live.test_serve import make
from tests.servers.certificate import believing, make_certificate
from tests.servers.ports import free_port
from tests.servers.postfix import program
from tests.servers.running import PATIENCE, pbem, until
from tests.servers.shipped import DEPLOY, shipped

pytestmark = pytest.mark.live

TYPES = {
    "/kaffe/": "text/html; charset=utf-8",
    "/kaffe/style.css": "text/css; charset=utf-8",
    "/kaffe/rulebook.txt": "text/plain; charset=utf-8",
    "/kaffe/feed.xml": "application/atom+xml; charset=utf-8",
    "/kaffe/archive/1/mails.mbox": "application/mbox",
}
_NGINX = """
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log;
user {user};
events {{ }}
http {{
    include /etc/nginx/mime.types;
    default_type application/octet-stream;
    access_log off;
    {temporary}
    include {folder}/site.conf;
}}
"""


@dataclass
class Site:
    """A host's pages behind a web server."""

    folder: Path
    port: int
    certificate: Path

    def get(self, path: str, **headers: str) -> tuple[int, http.client.HTTPMessage, bytes]:
        """Status, headers and content of a page."""
        trusting = believing(self.certificate)
        with closing(http.client.HTTPSConnection("localhost", self.port, context=trusting)) as line:
            line.request("GET", path, headers=headers)
            answer = line.getresponse()
            return answer.status, answer.headers, answer.read()


@contextmanager
def nginx(site: Site, key: Path) -> Iterator[str]:
    """nginx with deploy/web/nginx.conf; gives the address of its unencrypted side."""
    plain = free_port()
    live = "/etc/letsencrypt/live/nomic.example"
    conf = shipped(
        "web/nginx.conf",
        {
            f"{live}/fullchain.pem": site.certificate,
            f"{live}/privkey.pem": key,
            "/var/lib/pbem": site.folder,
            "listen 80;": f"listen 127.0.0.1:{plain};",
            "listen [::]:80;": "",
            "listen 443 ssl;": f"listen 127.0.0.1:{site.port} ssl;",
            "listen [::]:443 ssl;": "",
            "nomic.example": "localhost",
        },
    )
    (site.folder / "site.conf").write_text(conf)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary = "".join(f"{kind}_temp_path {site.folder}/{kind};" for kind in kinds)
    user = site.folder.owner()
    (site.folder / "nginx.conf").write_text(_NGINX.format(folder=site.folder, user=user, temporary=temporary))
    command = [program("nginx"), "-p", str(site.folder), "-c", str(site.folder / "nginx.conf")]
    tried = subprocess.run([*command, "-t"], capture_output=True, text=True, check=False)
    assert tried.returncode == 0, tried.stderr
    with running(command, site):
        yield f"127.0.0.1:{plain}"


@contextmanager
def caddy(site: Site, key: Path) -> Iterator[str]:
    """Caddy with deploy/web/Caddyfile; its unencrypted side, a thing of its own, is left out."""
    here = f"https://localhost:{site.port} {{\n\ttls {site.certificate} {key}\n"
    conf = shipped("web/Caddyfile", {"nomic.example {\n": here, "/var/lib/pbem": site.folder})
    options = (
        f"{{\n\tadmin off\n\tauto_https disable_redirects\n\tstorage file_system {site.folder}/caddy\n}}\n"
    )
    (site.folder / "Caddyfile").write_text(options + conf)
    with running(
        [program("caddy"), "run", "--adapter", "caddyfile", "--config", str(site.folder / "Caddyfile")], site
    ):
        yield ""


@contextmanager
def running(command: list[str], site: Site) -> Iterator[None]:
    """A web server, until the end of the block."""
    with (site.folder / "web.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=site.folder)
    try:
        until(lambda: process.poll() is not None or answers(site), "it answers")
        assert process.poll() is None, (site.folder / "web.log").read_text()
        yield
    finally:
        process.terminate()
        process.wait(PATIENCE)


def answers(site: Site) -> bool:
    try:
        return site.get("/")[0] > 0
    except OSError:
        return False


@pytest.fixture(name="site")
def _site(tmp_path: Path) -> Site:
    """A game's pages."""
    make(tmp_path, '[site]\nurl = "https://localhost/"\n')
    pbem(tmp_path, "publish")
    certificate, _ = make_certificate(tmp_path)
    tmp_path.chmod(0o711)
    return Site(tmp_path, free_port(), certificate)


@pytest.mark.parametrize("server", [nginx, caddy])
def test_pages_come_with_their_headers_and_a_new_version_at_once(site: Site, server) -> None:
    with server(site, site.folder / "key.pem") as plain:
        for path, kind in TYPES.items():
            status, headers, _ = site.get(path)
            assert (status, headers["Content-Type"]) == (200, kind), path
            assert headers["Content-Security-Policy"] == POLICY
            assert headers["X-Content-Type-Options"] == "nosniff"
            assert headers["Referrer-Policy"] == "no-referrer"
            assert headers["Strict-Transport-Security"] == "max-age=31536000"
            assert headers["Cache-Control"] == "no-cache"
        for path in ("/kaffe/search/", "/kaffe/search/index.html", "/kaffe/search/?q=tea"):
            assert site.get(path)[1]["Content-Security-Policy"] == SEARCH_POLICY, path
        for path in ("/kaffe/search/other.html", "/kaffe/rules/search/"):
            assert site.get(path)[1]["Content-Security-Policy"] == POLICY, path
        status, headers, _ = site.get("/kaffe.search/pagefind.js")
        assert (status, headers.get_content_subtype()) == (200, "javascript")
        (version,) = (site.folder / "site/.versions").glob("kaffe-*")
        assert site.get(f"/.versions/{version.name}/index.html")[0] == 404
        status, headers, _ = site.get("/kaffe/rules/203")
        assert status in (301, 308)
        assert headers["Location"].endswith("/kaffe/rules/203/")

        _, first, old = site.get("/kaffe/")
        known = {"If-None-Match": first["ETag"]}
        assert site.get("/kaffe/", **known)[0] == 304
        time.sleep(1.1)  # nginx knows files apart by the second
        pbem(site.folder, "do", "kaffe", "--as", "Anna Alm", "propose repeal 203")
        pbem(site.folder, "publish")
        status, _, new = site.get("/kaffe/", **known)
        assert status == 200
        assert new != old
        if plain:
            with closing(http.client.HTTPConnection(plain)) as line:
                line.request("GET", "/kaffe/", headers={"Host": "localhost"})
                answer = line.getresponse()
                assert (answer.status, answer.headers["Location"]) == (301, "https://localhost/kaffe/")


def test_caddy_finds_no_fault_in_its_file_as_it_is(tmp_path: Path) -> None:
    told = ["validate", "--adapter", "caddyfile", "--config", str(DEPLOY / "web/Caddyfile")]
    away = {"HOME": str(tmp_path), "PATH": "/usr/bin"}
    tried = subprocess.run([program("caddy"), *told], capture_output=True, text=True, check=False, env=away)
    assert tried.returncode == 0, tried.stderr
    assert "Valid configuration" in tried.stdout + tried.stderr

"""A certificate for localhost, made for one test run and believed by nobody else."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from pathlib import Path


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """The files of a new certificate for localhost and 127.0.0.1, and of its key (PEM)."""
    if shutil.which("openssl") is None:
        raise RuntimeError("This test needs a certificate: install openssl (apt-get install openssl).")
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    make = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=localhost",
    ]
    names = ("-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1")
    files = ("-keyout", str(key), "-out", str(certificate))
    subprocess.run([*make, *names, *files], check=True, capture_output=True)
    return certificate, key


def believing(certificate: Path) -> ssl.SSLContext:
    """What a client uses that believes this certificate alone."""
    return ssl.create_default_context(cafile=certificate)

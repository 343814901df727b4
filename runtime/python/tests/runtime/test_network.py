"""Encryption and proxies, with certificates and a proxy made here."""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import ssl
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from acme_tool._runtime.testkit.mock import Server, running

from mock_upstream import make

from .sandbox import Tool

# A name that no resolver knows, so that only the proxy leads there.
NAME = "upstream.invalid"
GET = ("item", "get", "--id", "1")


def certificate(directory: Path) -> tuple[Path, Path]:
    """Make a certificate for this machine and for NAME; give it and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "tests")])
    now = datetime.now(timezone.utc)
    names = [
        x509.DNSName(NAME),
        x509.IPAddress(ipaddress.ip_address("127.0.0.1")),
    ]
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(True, None), critical=True)
        .sign(key, hashes.SHA256())
    )
    paths = directory / "certificate.pem", directory / "key.pem"
    paths[0].write_bytes(made.public_bytes(serialization.Encoding.PEM))
    paths[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return paths


@dataclass
class Encrypted:
    """An upstream that speaks https alone."""

    port: int
    certificate: Path


@pytest.fixture(autouse=True)
def processes(tool: Tool) -> None:
    """Call the tool as a process: certificates are read once in each."""
    tool.in_process = False


@pytest.fixture
def encrypted(tmp_path: Path) -> Iterator[Encrypted]:
    chain, key = certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain, key)
    server = Server(make())
    port = server.server_address[1]
    server.socket = context.wrap_socket(server.socket, server_side=True)
    with running(server):
        yield Encrypted(port, chain)


def test_a_certificate_that_is_not_trusted_is_a_matter_of_the_set_up(
    tool: Tool, encrypted: Encrypted
) -> None:
    tool.set(BASE_URL=f"https://127.0.0.1:{encrypted.port}")
    assert "SSL_CERT_FILE" in tool.run(*GET).fails("E_CONFIG")["fix"]
    tool.env["SSL_CERT_FILE"] = str(encrypted.certificate)
    assert tool.run(*GET).ok()["id"] == "1"
    # The certificate is not for this name.
    tool.set(BASE_URL=f"https://localhost:{encrypted.port}")
    tool.run(*GET).fails("E_CONFIG")


@dataclass
class Proxy:
    """A proxy that leads every tunnel to one place."""

    to: int
    answer: bytes = b"HTTP/1.1 200 Connection established\r\n\r\n"
    heads: list[bytes] = field(default_factory=list)
    port: int = 0

    def serve(self, client: socket.socket) -> None:
        with client, contextlib.suppress(OSError):
            head = b""
            while b"\r\n\r\n" not in head:
                head += client.recv(4096)
            self.heads.append(head)
            client.sendall(self.answer)
            if b" 200 " not in self.answer:
                return
            with socket.create_connection(("127.0.0.1", self.to)) as inner:
                back = threading.Thread(target=pump, args=(inner, client), daemon=True)
                back.start()
                pump(client, inner)
                back.join(5)


def pump(one: socket.socket, other: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while content := one.recv(65536):
            other.sendall(content)
        other.shutdown(socket.SHUT_WR)


@pytest.fixture
def proxy(encrypted: Encrypted) -> Iterator[Proxy]:
    made = Proxy(encrypted.port)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        made.port = listener.getsockname()[1]

        def accept() -> None:
            with contextlib.suppress(OSError):
                while True:
                    client, _ = listener.accept()
                    threading.Thread(
                        target=made.serve, args=(client,), daemon=True
                    ).start()

        threading.Thread(target=accept, daemon=True).start()
        yield made


def behind(tool: Tool, encrypted: Encrypted, port: int) -> Tool:
    """Put a tool behind a proxy that wants a password."""
    tool.env["SSL_CERT_FILE"] = str(encrypted.certificate)
    tool.env["HTTPS_PROXY"] = f"http://user:proxy-canary-1@127.0.0.1:{port}"
    return tool.set(BASE_URL=f"https://{NAME}")


def test_a_proxy_leads_to_the_upstream_and_sees_nothing(
    tool: Tool, encrypted: Encrypted, proxy: Proxy
) -> None:
    assert behind(tool, encrypted, proxy.port).run(*GET).ok()["id"] == "1"
    (head,) = proxy.heads
    assert head.startswith(f"CONNECT {NAME}:443 HTTP/1.1\r\n".encode())
    assert b"Proxy-Authorization: Basic " in head
    assert b"demo-token" not in head


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (b"HTTP/1.1 502 Bad Gateway\r\n\r\n", "E_NETWORK"),
        (b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", "E_CONFIG"),
        (b"SSH-2.0-x\r\n\r\n", "E_NETWORK"),
        (b"", "E_NETWORK"),
    ],
)
def test_a_proxy_that_refuses_is_named_without_its_password(
    tool: Tool, encrypted: Encrypted, proxy: Proxy, answer: bytes, code: str
) -> None:
    proxy.answer = answer
    result = behind(tool, encrypted, proxy.port).run(*GET)
    assert result.fails(code)["proxy"] == f"127.0.0.1:{proxy.port}"
    assert "canary" not in result.text + result.stderr


def test_a_proxy_that_is_not_there_is_named(tool: Tool, encrypted: Encrypted) -> None:
    result = behind(tool, encrypted, 9).run(*GET)
    assert result.fails("E_NETWORK")["proxy"] == "127.0.0.1:9"
    tool.env["HTTPS_PROXY"] = "socks5://127.0.0.1:9"
    tool.run(*GET).fails("E_CONFIG")


def test_a_host_of_releases_that_is_silent_is_a_timeout(tool: Tool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        tool.set(UPDATE_API_URL=f"http://127.0.0.1:{port}", UPDATE_TIMEOUT="1")
        tool.run("update", "--check").fails("E_TIMEOUT")
        # The variable shortens the wait alone.
        for text in ("0", "31", "soon"):
            tool.set(UPDATE_TIMEOUT=text).run("update", "--check").fails("E_CONFIG")

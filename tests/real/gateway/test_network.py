"""Networks of public reports: proxies and certificates of the environment, for every client of the agent."""

from __future__ import annotations

import asyncio
import shutil
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.http_client.connections import Connections, read_whole
from actors.http_client.environment import trusted_certificates
from tests.actors.gateway.rig import GatewayRig, UpstreamDouble

FAR = "http://models.example/v1"
NAMES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE")


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    trusted_certificates.cache_clear()
    yield
    trusted_certificates.cache_clear()


@pytest.fixture
def proxy() -> Iterator[UpstreamDouble]:
    double = UpstreamDouble()
    yield double
    double.stop()


async def post(address: str) -> tuple[int, bytes]:
    """Status and body, as facts and embeddings ask."""
    connections = Connections()
    try:
        async with connections.post(address, b"{}", {"Authorization": "Bearer k"}) as response:
            return response.status, await read_whole(response)
    finally:
        await connections.close()


@pytest.mark.req("X-225")
def test_chats_facts_and_embeddings_go_through_the_same_proxy(
    proxy: UpstreamDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As aio-libs/aiohttp#529 and opensanctions/yente#85 report of clients that pass the proxy by."""
    monkeypatch.setenv("HTTP_PROXY", f"http://user:password@127.0.0.1:{proxy.port}")
    rig = GatewayRig(base_url=FAR)
    assert rig.send().status == 200
    assert rig.send(None, "/v1/models", method="GET").status == 200
    assert asyncio.run(post(f"{FAR}/embeddings"))[0] == 200
    asked = [heard.path for heard in proxy.heard]
    assert asked == [f"{FAR}/{path}" for path in ("chat/completions", "models", "embeddings")]
    assert all(heard.headers["Proxy-Authorization"].startswith("Basic ") for heard in proxy.heard)
    rig.stop()


@pytest.mark.req("X-225")
def test_a_proxy_that_is_gone_is_named_without_its_password_and_loopback_does_without(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As anomalyco/opencode#38140 and NousResearch/hermes-agent#5834 report of local servers behind a dead proxy."""
    for name in ("HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://user:password@127.0.0.1:9")
    far, near = GatewayRig(base_url=FAR), GatewayRig()
    refused = far.send()
    assert refused.status == 502
    assert "through the proxy 127.0.0.1:9" in refused.error["message"]
    assert "password" not in refused.error["message"]
    assert near.send().status == 200
    assert asyncio.run(post(near.upstream.base_url))[0] == 200
    far.stop()
    near.stop()


@pytest.mark.req("X-225")
@pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl that makes a certificate")
def test_the_certificates_of_the_operator_count_for_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As simonw/llm#568 and run-llama/llama_cloud_services#348 report of companies with certificates of their own."""
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    make = f"openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout {key} -out {certificate}"
    subprocess.run(
        (*make.split(), "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"),
        check=True,
        capture_output=True,
    )
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    server = UpstreamDouble(context)
    base_url = server.base_url.replace("http:", "https:")
    failures = []
    for name, status in (("", 502), ("SSL_CERT_FILE", 200), ("REQUESTS_CA_BUNDLE", 200)):
        trusted_certificates.cache_clear()
        with monkeypatch.context() as patch:
            if name:
                patch.setenv(name, str(certificate))
            rig = GatewayRig(base_url=base_url)
            found = rig.send().status
            if found != status:
                failures.append(f"chat, {name}: {found}")
            if name and asyncio.run(post(f"{base_url}/embeddings"))[0] != 200:
                failures.append(f"embeddings, {name}")
            rig.stop()
    server.stop()
    assert not failures

"""Proxies and certificates of the environment, read in one way for every client."""

from __future__ import annotations

import logging
import ssl
from pathlib import Path

import certifi
import pytest

from actors.http_client.environment import proxy_for, proxy_name, trusted_certificates

PROXY = "http://proxy.example:3128"
REMOTE = "https://models.example/v1"
VARIABLES = (
    *("http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
)
ALL = {"HTTP_PROXY": PROXY, "HTTPS_PROXY": PROXY, "ALL_PROXY": PROXY}
CASES: tuple[tuple[str, dict[str, str], str, str | None], ...] = (
    ("nothing is set", {}, REMOTE, None),
    ("by scheme", {"HTTPS_PROXY": PROXY}, REMOTE, PROXY),
    ("another scheme's", {"HTTP_PROXY": PROXY}, REMOTE, None),
    ("small letters, no scheme", {"https_proxy": "proxy.example:3128"}, REMOTE, PROXY),
    ("for all", {"ALL_PROXY": PROXY}, "http://models.example/v1", PROXY),
    ("by scheme before all", {"HTTPS_PROXY": PROXY, "ALL_PROXY": "http://other:1"}, REMOTE, PROXY),
    ("with a password", {"HTTPS_PROXY": "http://a:b@proxy:1"}, REMOTE, "http://a:b@proxy:1"),
    # NousResearch/hermes-agent#5834, meteor/meteor#5417, cypress-io/cypress#4780: loopback never goes through a proxy.
    *(
        ("loopback", ALL, address, None)
        for address in (
            *("http://127.0.0.1:11434/v1", "http://localhost:1234/v1", "http://[::1]:8080/v1", "http://127.8.9.1/v1"),
            *("http://ollama.localhost/v1", "http://LOCALHOST./v1"),
        )
    ),
    # anomalyco/opencode#38140: NO_PROXY counts.
    *(
        (f"exempt by {exempt}", {**ALL, "NO_PROXY": exempt}, address, None)
        for exempt, address in (
            ("models.example", REMOTE),
            (".example", REMOTE),
            ("*.example, other", REMOTE),
            ("other models.example", REMOTE),
            ("*", REMOTE),
            ("Models.Example", REMOTE),
            ("models.example:443", REMOTE),
            ("10.0.0.0/8", "http://10.1.2.3:11434/v1"),
            ("10.1.2.3", "http://10.1.2.3:11434/v1"),
            ("fd00::/8", "http://[fd00::1]:11434/v1"),
        )
    ),
    *(
        (f"not exempt by {exempt}", {**ALL, "NO_PROXY": exempt}, address, PROXY)
        for exempt, address in (
            ("els.example", REMOTE),
            ("models.example:8443", REMOTE),
            ("10.0.0.0/8", "http://11.1.2.3:11434/v1"),
            (", ,", REMOTE),
            ("10.0.0.0/99", "http://10.1.2.3/v1"),
        )
    ),
    # MoonshotAI/kimi-cli#404, OpenHands/OpenHands#1048, huggingface/tau#221: a SOCKS proxy stops nothing.
    ("socks for all", {"ALL_PROXY": "socks://127.0.0.1:20170/"}, REMOTE, None),
    ("socks for all, http by scheme", {"ALL_PROXY": "socks5h://127.0.0.1:1", "HTTPS_PROXY": PROXY}, REMOTE, PROXY),
    ("socks by scheme, http for all", {"HTTPS_PROXY": "socks5h://127.0.0.1:1", "ALL_PROXY": PROXY}, REMOTE, PROXY),
)


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.req("X-225")
def test_one_reading_of_the_proxies_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    failures = []
    for name, variables, address, proxy in CASES:
        with monkeypatch.context() as patch:
            for variable, value in variables.items():
                patch.setenv(variable, value)
            if (got := proxy_for(address)) != proxy:
                failures.append(f"{name}: {address} through {got}")
    assert not failures
    assert proxy_name("http://user:password@proxy.example:3128/") == "proxy.example:3128"


@pytest.mark.req("X-225")
def test_a_socks_proxy_is_said_once_to_be_unsupported(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As aio-libs/aiohttp#10147 and willmiao/ComfyUI-Lora-Manager#974 report of calls that fail without a reason."""
    monkeypatch.setenv("ALL_PROXY", "socks4a://user:password@127.0.0.1:1")
    for _ in range(3):
        proxy_for(REMOTE)
    assert caplog.text.count("ALL_PROXY names a socks4a proxy, which is not supported") == 1
    assert "password" not in caplog.text


@pytest.mark.req("X-225")
def test_the_operator_s_certificates_count_by_any_usual_name_and_missing_ones_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As strands-agents/harness-sdk#2946, Unstructured-IO/unstructured-ingest#561 and open-webui/docs#1111 report."""
    caplog.set_level(logging.WARNING)
    first = "-----BEGIN" + Path(certifi.where()).read_text().split("-----BEGIN")[1]
    own = tmp_path / "own.pem"
    own.write_text(first)
    assert len(_read().get_ca_certs()) > 10
    for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        with monkeypatch.context() as patch:
            patch.setenv(name, str(own))
            assert len(_read().get_ca_certs()) == 1, name
            patch.setenv("SSL_CERT_FILE", str(own))
            patch.setenv("REQUESTS_CA_BUNDLE", certifi.where())
            assert len(_read().get_ca_certs()) == 1, "SSL_CERT_FILE comes first"
    with monkeypatch.context() as patch:
        patch.setenv("SSL_CERT_DIR", str(tmp_path))
        assert _read().get_ca_certs() == []
    for bad, text in ((tmp_path / "missing.pem", ""), (tmp_path / "odd.pem", "no certificate")):
        if text:
            bad.write_text(text)
        with monkeypatch.context() as patch:
            patch.setenv("REQUESTS_CA_BUNDLE", str(bad))
            assert len(_read().get_ca_certs()) > 10
            assert f"REQUESTS_CA_BUNDLE '{bad}'" in caplog.text


def _read() -> ssl.SSLContext:
    trusted_certificates.cache_clear()
    try:
        return trusted_certificates()
    finally:
        trusted_certificates.cache_clear()

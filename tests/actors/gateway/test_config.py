from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from actors.gateway.config import config_of, is_loopback, problem_of

KEY, OTHER = "k" * 16, "o" * 16
SECRETS = {
    "ALICE_API_KEY": KEY,
    "BOB_API_KEY": OTHER,
    "OPENAI_API_KEY": "u" * 20,
    "SHORT_API_KEY": "short",
    "TWIN_API_KEY": KEY,
    "UPSTREAM_TWIN_API_KEY": "u" * 20,
}


def table(**changed: Any) -> Any:
    fields: dict[str, Any] = {
        "openai_base_url": "http://127.0.0.1:1/v1",
        "upstream_key": "OPENAI_API_KEY",
        "gateway_address": "127.0.0.1",
        "gateway_port": 8_100,
        "keys": {},
        "origins": (),
        "open_paths": (),
        "block_place": "auto",
        "max_body_mib": 2.0,
        "read_deadline_s": 1.0,
    }
    return SimpleNamespace(**fields | changed)


@pytest.mark.req("S2-94", "X-91")
def test_the_model_s_server_must_be_named() -> None:
    assert "facts.openai_base_url" in problem_of(table(openai_base_url=""), SECRETS)


def test_any_address_but_loopback_takes_a_key(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["0.0.0.0", "::", "192.168.1.2", "example.org"]
    for address in cases:
        with subtests.test(address=address):
            assert "facts.keys" in problem_of(table(gateway_address=address), SECRETS)
            assert problem_of(table(gateway_address=address, keys={"": "ALICE_API_KEY"}), SECRETS) == ""


def test_keys_that_would_not_guard_are_refused_by_name(subtests: pytest.Subtests) -> None:
    cases: list[tuple[dict[str, str], str]] = [
        ({"": "MISSING_API_KEY"}, "must be set"),
        ({"": "SHORT_API_KEY"}, "at least 16"),
        ({"": "OPENAI_API_KEY"}, "facts.upstream_key"),
        ({"": "UPSTREAM_TWIN_API_KEY"}, "facts.upstream_key"),
        ({"a/": "ALICE_API_KEY", "b/": "TWIN_API_KEY"}, "same secret"),
        ({"a": "ALICE_API_KEY", "ab": "BOB_API_KEY"}, "begins with"),
    ]
    for keys, words in cases:
        with subtests.test(keys=keys, words=words):
            assert words in problem_of(table(keys=keys), SECRETS)


def test_beside_keys_of_owners_there_may_be_one_of_all() -> None:
    assert problem_of(table(keys={"a/": "ALICE_API_KEY", "": "BOB_API_KEY"}), SECRETS) == ""


def test_the_settings_become_a_configuration() -> None:
    config = config_of(table(keys={"a/": "ALICE_API_KEY"}), SECRETS)

    assert (config.upstream_key, dict(config.keys), config.max_body_bytes) == ("u" * 20, {KEY: "a/"}, 2 * 1024 * 1024)
    assert KEY not in repr(config)
    assert "u" * 20 not in repr(config)


def test_loopback_is_known(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, bool]] = [
        ("localhost", True),
        ("127.0.0.5", True),
        ("::1", True),
        ("[::1]", True),
        ("LOCALHOST", True),
        ("0.0.0.0", False),
        ("x.localhost.y", False),
        ("", False),
    ]
    for host, is_own in cases:
        with subtests.test(host=host, is_own=is_own):
            assert is_loopback(host) is is_own

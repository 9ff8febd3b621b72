from __future__ import annotations

import json

import pytest

from actors.gateway.errors import GatewayError, response_of


def test_an_error_has_openai_s_form(subtests: pytest.Subtests) -> None:
    cases: list[tuple[int, str, str | None]] = [
        (400, "invalid_request_error", None),
        (401, "authentication_error", "invalid_api_key"),
        (403, "permission_error", None),
        (413, "request_too_large", None),
        (415, "invalid_request_error", None),
        (500, "server_error", None),
        (502, "upstream_error", "upstream_unreachable"),
        (504, "upstream_error", "upstream_timeout"),
    ]
    for status, kind, code in cases:
        with subtests.test(status=status, kind=kind, code=code):
            response = response_of(GatewayError(status, 'no "x"', "x"))

            assert (response.status, response.content_type) == (status, "application/json")
            assert isinstance(response.body, bytes)
            assert json.loads(response.body) == {
                "error": {"message": 'no "x"', "type": kind, "param": "x", "code": code}
            }


def test_only_who_shows_no_key_is_asked_for_one() -> None:
    assert response_of(GatewayError(401, "no")).headers["WWW-Authenticate"] == "Bearer"
    assert "WWW-Authenticate" not in response_of(GatewayError(403, "no")).headers

from __future__ import annotations

import pytest
from aiohttp import web

from actors.http_server.page_file import page_file


def test_a_file_of_the_page_has_its_type_and_its_headers(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str, str]] = [
        ("actors.observer", "index.html", "text/html"),
        ("lab.playground", "log.css", "text/css"),
        ("lab.playground", "page.js", "text/javascript"),
        ("lab.playground", "icons.svg", "image/svg+xml"),
    ]
    for package, name, kind in cases:
        with subtests.test(package=package, name=name, kind=kind):
            response = page_file(package, name, {"X-Content-Type-Options": "nosniff"})

            assert (response.content_type, response.charset) == (kind, "utf-8")
            assert response.headers["X-Content-Type-Options"] == "nosniff"
            assert isinstance(response.body, bytes)
            assert len(response.body) > 100


def test_nothing_else_is_served(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["none.js", "__init__.py", "../server.py"]
    for name in cases:
        with subtests.test(name=name), pytest.raises(web.HTTPNotFound):
            page_file("lab.playground", name, {})

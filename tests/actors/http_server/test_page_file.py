from __future__ import annotations

import pytest
from aiohttp import web

from actors.http_server.page_file import page_file


@pytest.mark.parametrize(
    ("package", "name", "kind"),
    [
        ("actors.observer", "index.html", "text/html"),
        ("lab.playground", "log.css", "text/css"),
        ("lab.playground", "page.js", "text/javascript"),
        ("lab.playground", "icons.svg", "image/svg+xml"),
    ],
)
def test_a_file_of_the_page_has_its_type_and_its_headers(package: str, name: str, kind: str) -> None:
    response = page_file(package, name, {"X-Content-Type-Options": "nosniff"})

    assert (response.content_type, response.charset) == (kind, "utf-8")
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert isinstance(response.body, bytes)
    assert len(response.body) > 100


@pytest.mark.parametrize("name", ["none.js", "__init__.py", "../server.py"])
def test_nothing_else_is_served(name: str) -> None:
    with pytest.raises(web.HTTPNotFound):
        page_file("lab.playground", name, {})

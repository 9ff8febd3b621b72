from __future__ import annotations

import re

import pytest

from tests.supply.licences import IDS, PAGE, ids_of, licence_of, licences, named_in, page
from tests.supply.locks import DEV, RUN, locked

ROW = re.compile(r"^\| ([a-z0-9-]+) \| ([^|]+) \|$", re.MULTILINE)


def rows() -> dict[str, str]:
    """Package -> licence, as the page has them."""
    return dict(ROW.findall(PAGE.read_text(encoding="utf-8").replace("| package | licence |", "")))


@pytest.mark.req("X-237")
def test_the_page_names_every_locked_package_and_its_licence() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(licences())
    assert rows().keys() == {package.name for layer in (RUN, DEV) for package in locked(layer)}


@pytest.mark.req("X-237")
def test_every_licence_is_one_that_was_looked_at() -> None:
    assert {
        name: licence for name, licence in rows().items() if not licence.strip() or not ids_of(licence) <= IDS
    } == {}


def test_a_licence_that_nothing_tells_is_empty() -> None:
    assert licence_of("there-is-no-such-package") == ""


def test_metadata_of_every_age_is_read(subtests: pytest.Subtests) -> None:
    cases = {
        "License-Expression: Apache-2.0 AND MIT\n": "Apache-2.0 AND MIT",
        "License: Apache License, Version 2.0\n": "Apache-2.0",
        "License: MIT License\n        Copyright of its authors\n": "MIT",
        "License: see the file\nClassifier: License :: OSI Approved :: MIT License\n": "MIT",
        "Classifier: License :: OSI Approved :: BSD License\n": "",
        "License-Expression: GPL-3.0-only\n": "",
        "Name: x\n": "",
    }
    for text, licence in cases.items():
        with subtests.test(text):
            assert named_in(text) == licence

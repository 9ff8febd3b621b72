"""Pages lead to what there is: documents, headings, files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.prose import ROOT, lines_outside_code, pages

LINK = re.compile(r"\]\(([^)#\s]*)(#[^)\s]*)?\)")
SPAN = re.compile(r"`([^`\n]+)`")
FOLDERS = ("actors", "bin", "docs", "domain", "lab", "messages", "skills", "tests", ".ci")
PATH = re.compile(rf"(?:{'|'.join(re.escape(folder) for folder in FOLDERS)})/[\w./-]*")
MODULE = re.compile(r"\w+\.(?:py|c|erl|js)")
EVERY_PAGE = pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)


def prose(page: Path) -> str:
    return "\n".join(line for _, line in lines_outside_code(page.read_text("utf-8")))


def links(page: Path) -> list[tuple[Path, str]]:
    """(file, heading or nothing) of each link into this repository."""
    found = LINK.findall(prose(page))
    return [
        ((page.parent / target).resolve() if target else page, heading.removeprefix("#"))
        for target, heading in found
        if "://" not in target
    ]


def headings(page: Path) -> set[str]:
    """Names by which a page's headings are linked to."""
    titles = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.req("C-22")
def test_the_readme_and_its_list_of_documents_link_every_document() -> None:
    listed = ROOT / "docs" / "README.md"
    of_readme = {file for file, _ in links(ROOT / "README.md")}
    linked = of_readme | {file for file, _ in links(listed)} | {listed}
    documents = {
        *(path for path in (ROOT / "docs").rglob("*") if path.is_file()),
        ROOT / "CONTRIBUTING.md",
        ROOT / "CHANGELOG.md",
    }

    assert listed in of_readme
    assert sorted(file.name for file in documents - linked) == []


@EVERY_PAGE
def test_every_link_leads_to_a_file_and_a_heading_that_exist(page: Path) -> None:
    broken = [
        f"{file.name}#{heading}"
        for file, heading in links(page)
        if not file.exists() or (heading and heading not in headings(file))
    ]

    assert broken == []


@EVERY_PAGE
def test_every_path_and_module_that_is_named_exists(page: Path) -> None:
    modules = {file.name for folder in FOLDERS for file in (ROOT / folder).rglob("*.*")} | {"setup.py"}
    words = [span.split()[0] for span in SPAN.findall(prose(page)) if span.strip()]
    gone = [word for word in words if PATH.fullmatch(word) and not (ROOT / word).exists()]
    gone += [word for word in words if MODULE.fullmatch(word) and word not in modules]

    assert gone == []


@pytest.mark.req("X-125")
def test_the_tree_that_is_drawn_has_every_room(subtests: pytest.Subtests) -> None:
    cases_of_package: list[str] = ["actors", "domain", "lab"]
    for package in cases_of_package:
        with subtests.test(package=package):
            rooms = {face.parent.name for face in (ROOT / package).glob("*/__init__.py")}
            drawn = set(re.findall(r"\b(\w+)/", (ROOT / "docs/architecture.md").read_text("utf-8")))

            assert len(rooms) > 4
            assert rooms - drawn == set()

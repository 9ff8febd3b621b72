"""Names that programs obey, by what was reported of other sandboxes."""

from __future__ import annotations

import time

import pytest

from actors.shell.sandbox.obeyed_names import PROTECTED, RESERVED_FOLDERS, is_obeyed

REPORTED = {
    "Claude Code, CVE-2026-25725: settings made where there were none": (".claude", ".mcp.json"),
    "Codex CLI, pull request 18446: the same": (".git", ".codex", ".agents"),
    "Codex CLI, CVE-2025-61260: an environment file that names another home": (".env", ".env.local"),
    "Copilot, CVE-2025-53773: settings that approve everything": (".vscode", "work.code-workspace"),
    "Cursor, CVE-2025-54135: a server of tools": (".cursor", "mcp.json"),
    "Cursor, CVE-2025-59944: another case": (".CURSOR", ".Vscode", ".GIT"),
    "Gemini CLI: its settings": (".gemini", "GEMINI.md"),
    "sandbox-runtime: its list of files": (".gitconfig", ".gitmodules", ".bashrc", ".zprofile", ".ripgreprc"),
    "instructions of agents": ("AGENTS.md", "CLAUDE.md", ".cursorrules", ".windsurfrules", ".clinerules"),
    "variables of the dynamic linker": (".env", ".envrc", ".mise.toml", "ld.so.preload"),
    "hooks": (".githooks", ".husky", ".pre-commit-config.yaml", "lefthook.yml"),
    "editors": (".idea", ".dir-locals.el", ".nvim.lua", ".devcontainer", ".zed", "x.sublime-project"),
    "interpreters that read the folder they start in": (".Rprofile", ".ghci", ".irbrc", ".iex.exs", ".ocamlinit"),
    "package managers": (".npmrc", ".yarnrc.yml", ".pnpmfile.cjs", ".cargo", ".mvn", "rust-toolchain.toml"),
}


@pytest.mark.req("X-233")
def test_names_of_public_reports_are_obeyed(subtests: pytest.Subtests) -> None:
    for report, names in REPORTED.items():
        with subtests.test(report=report):
            assert [name for name in names if not is_obeyed(name, "project")] == []


@pytest.mark.req("X-233")
def test_no_spelling_that_a_file_system_takes_for_an_obeyed_name_gets_by(subtests: pytest.Subtests) -> None:
    for name in (".Git", ".GIT ", ".git.", ".git::$INDEX_ALLOCATION", ".g\u200cit", ".gi\ufe0ft", "GIT~1"):
        with subtests.test(name=name):
            assert is_obeyed(name, "project")


def test_a_name_with_a_slash_counts_in_a_folder_of_that_name() -> None:
    assert is_obeyed("copilot-instructions.md", ".github")
    assert is_obeyed("fish", ".Config")
    assert not is_obeyed("copilot-instructions.md", "notes")
    assert not is_obeyed("fish", "pond")


def test_a_name_with_a_line_feed_is_obeyed_as_without() -> None:
    assert is_obeyed(".bash_\nlogin", "project")
    assert not is_obeyed("notes\n.git", "project")


def test_work_is_left_to_commands() -> None:
    work = (
        *("Makefile", "package.json", "conftest.py", "pyproject.toml", "Dockerfile", "README.md", "src", ".gitignore"),
        *(".github", ".editorconfig", "eslint.config.js", "node_modules", "environment.yml", "x.env.md", "gitlab~1x"),
    )
    assert [name for name in work if is_obeyed(name, "project")] == []


def test_what_is_reserved_is_obeyed_and_every_pattern_is_in_the_form_that_is_compared() -> None:
    assert [name for name in RESERVED_FOLDERS if not is_obeyed(name, "project")] == []
    assert [name for name in PROTECTED if name != name.casefold()] == []
    assert [name for name in PROTECTED if "/" in name and "*" in name] == []


def test_no_name_is_looked_at_for_long() -> None:
    began = time.process_time()
    for name in ("." * 255, ".bash_" * 42, "*" * 255, "\u200b" * 80, "a" * 251 + ".pth"):
        for _ in range(100):
            is_obeyed(name, name)
    assert time.process_time() - began < 1.0

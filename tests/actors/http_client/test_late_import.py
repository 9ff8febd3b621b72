from __future__ import annotations

import ast
from pathlib import Path

import actors.parts

ROOMS = Path(actors.parts.__file__).parent
LIBRARIES = {"litellm", "google"}


def test_every_thread_that_imports_a_large_library_holds_the_lock() -> None:
    """Two threads that enter litellm by different modules get a KeyError or a module that is half made."""
    bare = [
        f"{path.relative_to(ROOMS)}:{node.lineno}"
        for path in sorted(ROOMS.rglob("*.py"))
        if path.name != "litellm_child.py"  # a process of its own, with one thread
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and function.name != "_load"
        for node in function.body
        if _library(node) in LIBRARIES
    ]
    assert bare == []


def _library(node: ast.AST) -> str:
    if isinstance(node, ast.Import):
        return node.names[0].name.partition(".")[0]
    return (node.module or "").partition(".")[0] if isinstance(node, ast.ImportFrom) else ""

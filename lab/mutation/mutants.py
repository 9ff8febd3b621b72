"""Mutants of a module: its syntax tree with one small fault in it, each found anew by its number."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

DURABLE_CALLS = frozenset(
    {
        "_require_unchanged",
        "_require_usable",
        "_sync_folder",
        "_sync_folders",
        "end_window",
        "fdatasync",
        "fill",
        "flush",
        "fsync",
        "join",
        "link",
        "make_durable",
        "notice",
        "raise_floor",
        "rename",
        "replace",
        "require_valid",
        "secure",
        "settle",
        "sync",
        "sync_folder",
    }
)
"""Calls for their effect whose loss, or whose turn, loses what was said or says it twice."""

_SWAPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_LOGGERS = ("log", "logging")
_WORDS_SHOWN = 70


@dataclass(frozen=True, slots=True)
class Mutant:
    """One small fault."""

    number: int
    """Among those of its module, from 0."""
    line: int
    within: str
    """Name of the function or method around it, `Class.method`; empty outside of any."""
    what: str
    """In words: what stands there instead of what."""
    is_durable: bool
    """Whether it takes away a sync or an order, or turns a check of identity around: none of these may survive."""


@dataclass(frozen=True, slots=True)
class _Fault:
    at: ast.AST
    what: str
    apply: Callable[[], None]
    """Changes the tree that it was found in."""
    is_durable: bool = False


def mutants_of(source: str) -> list[Mutant]:
    """Every fault that there is to put into a module, in the order of its text.

    Raises:
        SyntaxError: `source` is no module.
    """
    return [
        Mutant(number, _line(fault.at), within, fault.what, fault.is_durable)
        for number, (within, fault) in enumerate(_faults_in(ast.parse(source)))
    ]


def mutated(source: str, number: int) -> ast.Module:
    """The module with one fault in it.

    Args:
        source: The module.
        number: Which, as `mutants_of` counts.

    Raises:
        IndexError: there is none of that number.
    """
    tree = ast.parse(source)
    _, fault = _faults_in(tree)[number]
    fault.apply()
    return ast.fix_missing_locations(tree)


def _faults_in(tree: ast.Module) -> list[tuple[str, _Fault]]:
    found = [(within, fault) for within, node in _nodes(tree, "") for fault in (*_faults(node), *_orders(node))]
    return sorted(found, key=lambda each: (_line(each[1].at), getattr(each[1].at, "col_offset", 0), each[1].what))


def _nodes(node: ast.AST, within: str) -> Iterator[tuple[str, ast.AST]]:
    """Each node with the name of what is around it, but what a class or a function is declared with."""
    for child in ast.iter_child_nodes(node):
        inner = within
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and child not in node.body:
            continue
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = f"{within}.{child.name}".lstrip(".")
        yield inner, child
        yield from _nodes(child, inner)


def _faults(node: ast.AST) -> Iterator[_Fault]:
    match node:
        case ast.Expr(value=ast.Call() as call) | ast.Expr(value=ast.Await(value=ast.Call() as call)):
            if not _is_telling(call):
                yield _Fault(node, f"{_words(node)}: left out", _set(node, value=ast.Constant(None)), _is_durable(node))
        case ast.Compare(ops=[operator]) if type(operator) in _SWAPPED:
            other = _SWAPPED[type(operator)]()
            is_identity = isinstance(operator, ast.Eq | ast.NotEq | ast.In | ast.NotIn)
            yield _Fault(node, f"{_words(node)}: {type(other).__name__}", _set(node, ops=[other]), is_identity)
        case ast.If(test=test) | ast.IfExp(test=test):
            yield _Fault(node, f"if {_words(test)}: turned around", _set(node, test=ast.UnaryOp(ast.Not(), test)))
        case ast.BoolOp(op=operator):
            junctor = ast.Or() if isinstance(operator, ast.And) else ast.And()
            yield _Fault(node, f"{_words(node)}: {type(junctor).__name__}", _set(node, op=junctor))
        case ast.keyword(arg=str(name), value=ast.Constant(value=bool(value))):
            flipped = _set(node, value=ast.Constant(not value))
            yield _Fault(node.value, f"{name}={value}: {not value}", flipped, name == "sync" and value)
        case ast.BinOp(op=ast.Add() | ast.Sub() as sign, right=ast.Constant(value=int(value))) if value is not True:
            opposite = ast.Sub() if isinstance(sign, ast.Add) else ast.Add()
            yield _Fault(node, f"{_words(node)}: {type(opposite).__name__}", _set(node, op=opposite))
        case ast.Call(func=ast.Name(id="max" | "min" as name) as func):
            opposite_name = "min" if name == "max" else "max"
            yield _Fault(node, f"{_words(node)}: {opposite_name}", _set(func, id=opposite_name))
        case _:
            return


def _orders(node: ast.AST) -> Iterator[_Fault]:
    """Two statements, one of which makes something durable, the other way round."""
    for field in ("body", "orelse", "finalbody"):
        block = getattr(node, field, None)
        if not isinstance(block, list):
            continue
        for place, (first, second) in enumerate(pairwise(block)):
            if (_is_durable(first) and _is_simple(second)) or (_is_simple(first) and _is_durable(second)):
                words = f"{_words(first)} ⇄ {_words(second)}: swapped"
                yield _Fault(first, words, _exchange(block, place), is_durable=True)


def _exchange(block: list[ast.stmt], place: int) -> Callable[[], None]:
    def apply() -> None:
        block[place], block[place + 1] = block[place + 1], block[place]

    return apply


def _set(node: ast.AST, **fields: object) -> Callable[[], None]:
    return lambda: node.__dict__.update(fields)


def _is_durable(node: ast.AST) -> bool:
    """Whether a statement is a call that makes something durable, or is one under a condition."""
    match node:
        case ast.If(body=[only], orelse=[]):
            return _is_durable(only)
        case ast.Expr(value=ast.Call() as call) | ast.Expr(value=ast.Await(value=ast.Call() as call)):
            name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            return name in DURABLE_CALLS
        case _:
            return False


def _is_simple(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value=ast.Call() as call):
            return not _is_telling(call)
        case ast.Expr(value=ast.Await()) | ast.Assign() | ast.AugAssign() | ast.Delete():
            return True
        case _:
            return _is_durable(node)


def _is_telling(call: ast.Call) -> bool:
    """Whether a call only writes a line of the operator's log, or only tells the type checker something."""
    match call.func:
        case ast.Attribute(value=ast.Name(id=logger)) if logger in _LOGGERS:
            return True
        case ast.Name(id="assert_never"):
            return True
        case _:
            return False


def _line(node: ast.AST) -> int:
    return getattr(node, "lineno", 0)


def _words(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= _WORDS_SHOWN else f"{text[: _WORDS_SHOWN - 1]}…"

"""Mutants of a module: its syntax tree with one small fault in it, each found anew by its number."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

DURABLE_CALLS = frozenset(
    {
        "sync",
        "sync_folder",
        "_sync_folders",
        "make_durable",
        "fsync",
        "fdatasync",
        "flush",
        "end_window",
        "_require_unchanged",
        "_require_usable",
        "require_valid",
        "settle",
        "notice",
        "fill",
        "join",
        "raise_floor",
        "replace",
        "link",
    }
)
"""Calls for their effect whose loss loses what was said, or says it twice."""

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


@dataclass(frozen=True, slots=True)
class Mutant:
    """One small fault."""

    number: int
    """Among those of its module, from 0."""
    line: int
    what: str
    """In words: what stands there instead of what."""
    is_durable: bool
    """Whether it takes away a sync or an order, or turns a check of identity around: none of these may survive."""


@dataclass(frozen=True, slots=True)
class _Site:
    mutant: Mutant
    apply: Callable[[], None]
    """Changes the tree that it was found in."""


def mutants_of(source: str) -> list[Mutant]:
    """Every fault that there is to put into a module, in the order of its text.

    Raises:
        SyntaxError: `source` is no module.
    """
    return [site.mutant for site in _sites(ast.parse(source))]


def mutated(source: str, number: int) -> ast.Module:
    """The module with one fault in it.

    Args:
        source: The module.
        number: Which, as `mutants_of` counts.

    Raises:
        IndexError: there is none of that number.
    """
    tree = ast.parse(source)
    _sites(tree)[number].apply()
    return ast.fix_missing_locations(tree)


def _sites(tree: ast.Module) -> list[_Site]:
    found: list[tuple[ast.AST, str, bool, Callable[[], None]]] = []
    for node in ast.walk(tree):
        found += ((at, what, durable, apply) for at, what, durable, apply in _faults(node))
    found.sort(key=lambda each: (getattr(each[0], "lineno", 0), getattr(each[0], "col_offset", 0), each[1]))
    return [
        _Site(Mutant(number, getattr(node, "lineno", 0), what, durable), apply)
        for number, (node, what, durable, apply) in enumerate(found)
    ]


def _faults(node: ast.AST) -> Iterator[tuple[ast.AST, str, bool, Callable[[], None]]]:
    match node:
        case ast.Expr(value=ast.Call() as call):
            yield node, f"{_words(call)}: left out", _is_durable(call), _replacement(node, "value", ast.Constant(None))
        case ast.Compare(ops=[operator]) if type(operator) in _SWAPPED:
            other = _SWAPPED[type(operator)]()
            is_identity = isinstance(operator, ast.Eq | ast.NotEq | ast.In | ast.NotIn)
            yield node, f"{_words(node)}: {type(other).__name__}", is_identity, _replacement(node, "ops", [other])
        case ast.If(test=test):
            opposite = ast.UnaryOp(ast.Not(), test)
            yield node, f"if {_words(test)}: turned around", False, _replacement(node, "test", opposite)
        case ast.IfExp(test=test):
            opposite = ast.UnaryOp(ast.Not(), test)
            yield node, f"… if {_words(test)}: turned around", False, _replacement(node, "test", opposite)
        case ast.BoolOp(op=operator):
            other_op: ast.boolop = ast.Or() if isinstance(operator, ast.And) else ast.And()
            yield node, f"{_words(node)}: {type(other_op).__name__}", False, _replacement(node, "op", other_op)
        case ast.keyword(arg=str(name), value=ast.Constant(value=bool(value))):
            is_sync = name == "sync" and value
            yield (
                node.value,
                f"{name}={value}: {not value}",
                is_sync,
                _replacement(node, "value", ast.Constant(not value)),
            )
        case ast.BinOp(op=ast.Add() | ast.Sub() as sign, right=ast.Constant(value=int(value))) if not isinstance(
            value, bool
        ):
            other_sign: ast.operator = ast.Sub() if isinstance(sign, ast.Add) else ast.Add()
            yield node, f"{_words(node)}: {type(other_sign).__name__}", False, _replacement(node, "op", other_sign)
        case _:
            return


def _replacement(node: ast.AST, field: str, value: object) -> Callable[[], None]:
    return lambda: setattr(node, field, value)


def _is_durable(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return name in DURABLE_CALLS


def _words(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 70 else f"{text[:69]}…"

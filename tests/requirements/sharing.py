"""Reader of what modules and classes hold for everybody, and of what changes it: state that no actor owns."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator
from functools import lru_cache

TABLES = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
"""Displays that may stand at the top as tables to look things up in."""
TABLE_MAKERS = frozenset({"dict", "list", "set", "dict.fromkeys", "str.maketrans", "collections.deque", "deque"})
BLOCKS = (ast.If, ast.Try, ast.With, ast.For, ast.While)
FIXED_MAKERS = frozenset(
    [
        "bytes",
        "frozenset",
        "int",
        "len",
        "range",
        "str",
        "tuple",
        "MappingProxyType",
        "NewType",
        "TypeVar",
        "attrgetter",
        "datetime.fromtimestamp",
        "np.uint64",
        "auto",
        "field",
        "datetime",
        "timedelta",
        "re.compile",
        "logging.getLogger",
        "struct.Struct",
        "Path",
        "PurePath",
        "PurePosixPath",
        "IPv6Network",
        "ctypes.CDLL",
        "np.dtype",
        "np.float32",
        "yarl.URL",
        "os.sysconf",
        "discord.Permissions",
        "ord",
        "Kind.USER.value.encode",
        "FAILED_BULLET.encode",
        "click.Path",
        "click.argument",
        "click.option",
        "json.JSONDecoder",
        "json.JSONEncoder",
        "msgspec.json.Decoder",
        "msgspec.Raw",
    ]
)
"""Whose results nobody can change, or nobody but their own library."""
READERS = frozenset(
    [
        "all",
        "any",
        "bool",
        "dict",
        "enumerate",
        "frozenset",
        "iter",
        "len",
        "list",
        "map",
        "max",
        "min",
        "next",
        "repr",
        "set",
        "sorted",
        "str",
        "sum",
        "tuple",
        "zip",
    ]
)
"""Functions that look at a table and keep none of it."""
TAKERS = frozenset({"join", "translate"})
"""Methods of texts that look at a table."""
READS = frozenset(
    [
        "copy",
        "get",
        "index",
        "items",
        "keys",
        "count",
        "values",
        "isdisjoint",
        "issubset",
        "issuperset",
        "union",
        "difference",
    ]
)
"""Methods of tables that change nothing."""


CHANGES = frozenset(
    [
        "add",
        "append",
        "appendleft",
        "clear",
        "difference_update",
        "discard",
        "extend",
        "insert",
        "intersection_update",
        "pop",
        "popitem",
        "popleft",
        "remove",
        "reverse",
        "setdefault",
        "sort",
        "symmetric_difference_update",
        "update",
    ]
)
"""Methods that change what they are called on."""


def statements(body: list[ast.stmt], within: str = "") -> Iterator[tuple[str, ast.stmt]]:
    """(class around it, statement) of whatever runs when a module is imported."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from statements(node.body, f"{node.name}.")
        elif isinstance(node, BLOCKS):
            blocks = [getattr(node, name, []) for name in ("body", "orelse", "finalbody")]
            blocks += [handler.body for handler in getattr(node, "handlers", [])]
            for block in blocks:
                yield from statements(block, within)
        else:
            yield within, node


def assigned(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """(name, value) of whatever is bound when a module is imported, a pair's parts one by one."""
    for within, node in statements(tree.body):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                yield from _parts(within, target, node.value)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            yield from _parts(within, node.target, node.value)


def _parts(within: str, target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        for part, its_value in zip(target.elts, value.elts, strict=True):
            yield from _parts(within, part, its_value)
    else:
        yield within + ast.unparse(target), value


def tables(tree: ast.Module) -> set[str]:
    """Names of what could be changed by whoever imports it, without the class around it."""
    return {name.rpartition(".")[2] for name, value in assigned(tree) if _is_table(value)} - {"__all__"}


def _is_table(value: ast.expr) -> bool:
    if isinstance(value, ast.Tuple):
        return any(map(_is_table, value.elts))
    return isinstance(value, TABLES) or (isinstance(value, ast.Call) and _maker(value) in TABLE_MAKERS)


def _maker(call: ast.Call) -> str:
    """What is called, without type arguments."""
    function = call.func.value if isinstance(call.func, ast.Subscript) else call.func
    return ast.unparse(function)


def frozen(tree: ast.Module) -> set[str]:
    """Classes whose instances nobody can change, and new types of values."""
    found = {name for name, value in assigned(tree) if isinstance(value, ast.Call) and _maker(value) == "NewType"}
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            how = [*map(ast.unparse, node.decorator_list), *map(ast.unparse, node.keywords)]
            how += [ast.unparse(each.value) for each in node.body if isinstance(each, ast.Assign)]
            is_section = any(ast.unparse(base) == "Table" for base in node.bases)  # of the settings
            if is_section or any("frozen=True" in each for each in how):
                found.add(node.name)
    return found


def makers(tree: ast.Module, known: set[str]) -> set[str]:
    """Whatever is called at the top for a value to keep, and is not known to give one that stays as it is.

    Args:
        known: Own classes whose instances stay as they are.
    """
    called = {_maker(value) for _, value in assigned(tree) if isinstance(value, ast.Call)}
    return called - FIXED_MAKERS - TABLE_MAKERS - known


@lru_cache(maxsize=1)
def _parents(tree: ast.Module) -> dict[ast.AST, ast.AST]:
    """Each node below the module -> the node above it, in the order of `ast.walk`."""
    parents: dict[ast.AST, ast.AST] = {}
    above = deque[ast.AST]([tree])
    while above:
        node = above.popleft()
        children = list(ast.iter_child_nodes(node))
        parents.update(dict.fromkeys(children, node))
        above.extend(children)
    return parents


def changed(tree: ast.Module, names: set[str]) -> set[str]:
    """Which of `names` a module does anything with but look something up: changed, handed on, or kept elsewhere."""
    parents = _parents(tree)
    own = {id(value) for _, value in assigned(tree)}
    found = set()
    for node in parents:
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        if name in names and id(node) not in own and not _is_read(node, parents):
            found.add(name)
    return found


def _is_read(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    parent = parents[node]
    match parent:
        case ast.Subscript(value=value, ctx=context):
            return node is not value or (isinstance(context, ast.Load) and _is_part_read(parent, parents))
        case ast.Attribute(attr=attribute):
            return attribute in READS
        case ast.Call(func=ast.Name(id=function)):
            return function in READERS
        case ast.Call(func=ast.Attribute(attr=method)) if method in TAKERS:
            return True
        case ast.keyword(arg=None):
            return True
        case ast.Assign() | ast.AnnAssign():
            return not isinstance(getattr(node, "ctx", None), ast.Load) and not _is_in_function(node, parents)
        case ast.AugAssign() | ast.NamedExpr() | ast.Return() | ast.Call() | ast.keyword() | ast.Yield():
            return False
        case _:
            return True


def _is_part_read(part: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether what stands in a table is not changed where it is looked up."""
    match parents[part]:
        case ast.Attribute(attr=attribute):
            return attribute not in CHANGES
        case ast.Subscript(ctx=context):
            return isinstance(context, ast.Load) and _is_part_read(parents[part], parents)
        case ast.AugAssign(target=target):
            return target is not part
        case _:
            return True


def _is_in_function(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    while (above := parents.get(node)) is not None:
        if isinstance(above, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            return True
        node = above
    return False


def rebound(tree: ast.Module) -> set[str]:
    """What functions bind anew for all: a global, a class's or a module's attribute, whatever the way."""
    modules = {
        alias.asname or alias.name for each in _parents(tree) if isinstance(each, ast.Import) for alias in each.names
    }
    found = set()
    for node in _parents(tree):
        if isinstance(node, ast.Global):
            found |= set(node.names)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
            owner = ast.unparse(node.value)
            is_class = (
                owner.lstrip("_")[:1].isupper() or owner in ("cls", "self.__class__") or owner.startswith("type(")
            )
            if owner in modules or is_class:
                found.add(ast.unparse(node))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in ("globals", "vars"):
                found.add(ast.unparse(node))
            elif node.func.id in ("setattr", "delattr"):
                found.add(ast.unparse(node.args[0]))
    return found - {"self"}


def kept(tree: ast.Module) -> set[str]:
    """Functions that give every caller one and the same thing that can be changed: a default, or a cached result."""
    found = set()
    for node in _parents(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            defaults = [each for each in (*node.args.defaults, *node.args.kw_defaults) if each is not None]
            is_cached = any("cache" in ast.unparse(decorator) for decorator in node.decorator_list)
            returned = ast.unparse(node.returns).partition("[")[0] if node.returns is not None else "list"
            is_changeable = returned.rpartition(".")[2].lower() in (
                "list",
                "dict",
                "set",
                "bytearray",
                "deque",
                "any",
                "object",
            )
            if any(map(_is_table, defaults)) or (is_cached and is_changeable):
                found.add(node.name)
    return found

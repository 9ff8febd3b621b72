"""Catalogue of messages/: modules, classes, and the unions with the use of each class."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from types import ModuleType, UnionType
from typing import get_args

import msgspec

import messages
from messages.base import Message, Value

BASES: tuple[type, ...] = (Message, Value)


def modules() -> list[ModuleType]:
    """The modules of messages/, base first, then by name."""
    names = sorted(info.name for info in pkgutil.iter_modules(messages.__path__))
    module_list = [importlib.import_module(f"messages.{name}") for name in names]
    return sorted(module_list, key=lambda module: module.__name__ != "messages.base")


def structs(module: ModuleType) -> list[type[msgspec.Struct]]:
    """The classes that `module` itself defines, bases of others aside, in the order of its text."""
    kinds = [
        cls
        for name, cls in vars(module).items()
        if inspect.isclass(cls) and issubclass(cls, msgspec.Struct) and cls.__module__ == module.__name__
        if cls.__name__ == name  # an alias is no class of its own
    ]
    return [cls for cls in kinds if cls not in BASES]


def all_structs() -> list[type[msgspec.Struct]]:
    return [cls for module in modules() for cls in structs(module)]


def all_messages() -> list[type[msgspec.Struct]]:
    return [cls for cls in all_structs() if issubclass(cls, Message)]


def unions(module: ModuleType) -> dict[str, frozenset[type]]:
    """Name -> members of each union that `module` defines; one of a single class is a plain alias of that class.

    Of two names of the same members the first counts.
    """
    unions_by_name: dict[str, frozenset[type]] = {}
    for name, value in vars(module).items():
        if isinstance(value, UnionType):
            members = frozenset(get_args(value))
        elif inspect.isclass(value) and issubclass(value, Message) and value.__name__ != name:
            members = frozenset({value})
        else:
            continue
        if members not in unions_by_name.values():
            unions_by_name[name] = members
    return unions_by_name


def shares(module: ModuleType) -> dict[str, list[type[msgspec.Struct]]]:
    """Union -> the module's own messages in it that no smaller union of the module holds, in the order of its text."""
    members = unions(module)
    own = [cls for cls in structs(module) if issubclass(cls, Message)]
    return {
        name: [cls for cls in own if cls in whole and not any(cls in part for part in members.values() if part < whole)]
        for name, whole in members.items()
    }

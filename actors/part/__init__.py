"""Part of the agent: an actor and its relations to other actors, as data; `actors.parts` is the table of all parts.

Read first `part.py` (`Part`, and `Parts`, the table that all code folds over), then `plan.py` (the input of rows), then
`layer.py` (a kind of memory in a folder of its own). A layer's table finds the kinds of settings here (`Table`,
`Whole`, `Number`, `Flag`, `Folder`, `FrozenMap`, …). `command.py`, `verb.py` and `check.py` define the contributions of
a part: slash commands, verbs for scripts, and doctor's checks. The whole package is data and folds over data: no clock,
no library of an actor, no file except for a look at a folder.
"""

from __future__ import annotations

from actors.part.check import Check, Finding, Level, Repair
from actors.part.command import (
    Answer,
    Argument,
    ArgumentValues,
    Button,
    Command,
    Completion,
    Invocation,
    Press,
    SpokenCommand,
    Wording,
    Words,
)
from actors.part.hosts import Hosts, HostState
from actors.part.layer import Layer
from actors.part.part import Menu, Part, Parts, Row, UnusableError
from actors.part.place import SHIPPED_SKILLS, command, folder_of, locate_file, program
from actors.part.plan import DiscordConnection, Plan
from actors.part.verb import Verb
from actors.settings.frozen_map import FrozenMap
from actors.settings.schema import (
    FolderOf,
    Folders,
    OptionalFolder,
    OptionalName,
    OptionalPath,
)
from actors.settings.table import Flag, Folder, Number, OptionalHttpAddress, Table, Whole

__all__ = [
    "SHIPPED_SKILLS",
    "Answer",
    "Argument",
    "ArgumentValues",
    "Button",
    "Check",
    "Command",
    "Completion",
    "DiscordConnection",
    "Finding",
    "Flag",
    "Folder",
    "FolderOf",
    "Folders",
    "FrozenMap",
    "HostState",
    "Hosts",
    "Invocation",
    "Layer",
    "Level",
    "Menu",
    "Number",
    "OptionalFolder",
    "OptionalHttpAddress",
    "OptionalName",
    "OptionalPath",
    "Part",
    "Parts",
    "Plan",
    "Press",
    "Repair",
    "Row",
    "SpokenCommand",
    "Table",
    "UnusableError",
    "Verb",
    "Whole",
    "Wording",
    "Words",
    "command",
    "folder_of",
    "locate_file",
    "program",
]

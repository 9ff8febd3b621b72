"""Calls of tools written as text by a model whose server does not support calls, or not this model's calls.

A text is read as calls only if it holds no other words, the request offered tools, and each name is a tool's. With
any other word the text is a text about calls.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Mapping

from domain.text.answer import json_call
from domain.text.answer.json_call import Call, Tools, arguments_text, bare_name, calls_of_values, json_values

_WORD = r"[\w.:/-]{1,80}"
_FENCE = re.compile(
    r"(?P<mark>`{3,}|~{3,})[ \t]*(?P<language>[\w+-]{0,20})[ \t]*\n(?P<body>.*?)\n?[ \t]*(?P=mark)[ \t]*(?:\n|\Z)",
    re.DOTALL,
)
_LANGUAGES = frozenset(
    {
        "",
        "json",
        "json5",
        "jsonc",
        "tool_call",
        "tool_calls",
        "tool_code",
        "tool",
        "tool_use",
        "function",
        "function_call",
    }
    | {"xml", "python", "py", "text", "action", "tools", "plaintext"}
)
_TAG = "tool_calls?|function_?calls?|tools?|tool_use|invocations?|call|action|minimax:tool_call|xai:function_call"
_WRAPPED = re.compile(rf"<(?P<tag>{_TAG})(?:\s[^<>]{{0,200}})?>(?P<body>.*?)(?:</(?P=tag)\s*>|\Z)", re.DOTALL)
_FUNCTION = re.compile(
    rf"<function(?:=|\s+name=)\s*[\"']?(?P<name>{_WORD})[\"']?\s*>(?P<body>.*?)(?:</function\s*>|\Z)", re.DOTALL
)
_INVOKE = re.compile(
    rf"<(?:antml:)?invoke\s+name=[\"'](?P<name>{_WORD})[\"']\s*>(?P<body>.*?)(?:</(?:antml:)?invoke\s*>|\Z)", re.DOTALL
)
_PARAMETER = re.compile(
    r"<(?:antml:)?parameter(?:=|\s+name=)\s*[\"']?(?P<name>\w{1,80})[\"']?[^<>]{0,40}>(?P<value>.*?)"
    r"(?:</(?:antml:)?parameter\s*>|(?=<(?:antml:)?parameter\b)|\Z)",
    re.DOTALL,
)
_ARG = re.compile(
    r"<arg_key>\s*(?P<name>\w{1,80})\s*</arg_key>\s*<arg_value>(?P<value>.*?)(?:</arg_value>|\Z)", re.DOTALL
)
_BEFORE_ARGS = re.compile(rf"\s*(?P<name>{_WORD})\s*(?=<arg_key>|\Z)")
_HEADS = re.compile(
    r"\s*(?:\[TOOL_CALLS?\]|<\|?tool_calls?\|?>|<\|python_tag\|>|<\|tool_calls?_section_begin\|>|<\uff5ctool▁calls▁begin\uff5c>"
    r"|<function_calls>|<\|action_start\|>(?:\s?<\|plugin\|>)?|functools(?=\[)|<\|START_ACTION\|>|Action:(?=\s*[\[{]))"
)
"""Marks before all calls."""
_TAILS = re.compile(
    r"(?:\[/TOOL_CALLS?\]|</?\|?tool_calls?\|?>|<\|tool_calls?_section_end\|>|<\uff5ctool▁calls▁end\uff5c>|</function_calls>"
    r"|<\|action_end\|>|<\|END_ACTION\|>|<\|(?:eom|eot)_id\|>)\s*\Z"
)
_MARKED = re.compile(
    rf"(?:<\|tool_call_begin\|>|<\uff5ctool▁call▁begin\uff5c>)\s*(?:function\s*<\uff5ctool▁sep\uff5c>)?\s*(?P<name>{_WORD})\s*"
    r"(?:<\|tool_call_argument_begin\|>|<\uff5ctool▁sep\uff5c>)?\s*(?P<body>.*?)\s*(?:<\|tool_call_end\|>|<\uff5ctool▁call▁end\uff5c>|\Z)",
    re.DOTALL,
)
"""Calls of Kimi and DeepSeek, as marked by their templates."""
_NAMED = re.compile(
    rf"(?:\[TOOL_CALLS?\])?\s*(?P<name>{_WORD}?)\s*(?:\[CALL_ID\]\s*\w+\s*)?(?:\[ARGS\])?\s*(?P<body>\{{)"
)
_CALL_LIKE = re.compile(r"[`~\[{<]|functools\[|Action:")
_BEGINNINGS = (
    *("<tool", "<function", "<invoke", "<minimax:tool_call", "<xai:function_call", "<call>", "<action>"),
    *("<invocation", "[TOOL_CALL", "<|", "<\uff5c", "functools[", "Action:"),
)
_PYTHON = re.compile(r"\s*\[?\s*(?:print\()?[\w.]+\(")
_BETWEEN = re.compile(r"[\s,;]*")
_DECODER = json.JSONDecoder(strict=False)
_MOST_CHARS = 400_000
"""Limit for a text read as calls: more than a tool accepts."""
_MOST_DEPTH = 5
"""Of forms within forms."""
_TEMPLATE_END = re.compile(
    r"(?:\s*(?:<\|(?:im_end|eot_id|eom_id|end|endoftext|end_of_text|return|end_of_turn|user|observation)\|>|</s>|<end_of_turn>"
    r"|<\uff5cend▁of▁sentence\uff5c>|<\|END_RESPONSE\|>|<turn\|>|\[EOS\]|\[/?INST\]))+\s*\Z"
)


def without_template_end(text: str) -> str:
    """A text without the end marks of a model's template, for servers that leave the marks in."""
    end = _TEMPLATE_END.search(text[-400:])
    return text if end is None else text[: len(text) - (len(text[-400:]) - end.start())]


def written_calls(text: str, tools: Tools) -> tuple[Call, ...]:
    """The calls that make up a whole text; empty for a text for people."""
    bare = text.strip()
    if not bare or not tools or len(bare) > _MOST_CHARS or not (_CALL_LIKE.match(bare) or _is_pythonic(bare, tools)):
        return ()
    return tuple(_Reader(tools).read(bare) or ())


def may_become_call(beginning: str, tools: Tools) -> bool:
    """True if the beginning of an answer may be a written call, so people do not see the answer yet."""
    lead = beginning.lstrip()
    if not tools or not lead:
        return False
    if lead.startswith(("`", "~")):
        head, line_end, body = lead.partition("\n")
        language = head.strip("`~ \t").lower()
        if not line_end or not body.strip():
            return any(name.startswith(language) for name in _LANGUAGES)
        return language in _LANGUAGES and may_become_call(body, tools)
    if any(lead.startswith(mark) or mark.startswith(lead) for mark in _BEGINNINGS):
        return True
    return json_call.may_become_call(lead, tools) or _may_become_python(lead, tools)


class _Reader:
    """Reader of one text in all forms of calls; some forms nest."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._depth = 0

    def read(self, text: str) -> list[Call] | None:
        """The calls of a text; None if the text holds anything else."""
        if self._depth > _MOST_DEPTH:
            return None
        self._depth += 1
        try:
            for form in (self._json, self._fences, self._marks, self._tags, self._heads, self._python):
                if (calls := form(text)) is not None:
                    return calls
            return None
        finally:
            self._depth -= 1

    def _json(self, text: str) -> list[Call] | None:
        values = json_values(text)
        return None if values is None else calls_of_values(values, self._tools)

    def _fences(self, text: str) -> list[Call] | None:
        """Calls in code blocks."""

        def calls_of(block: re.Match[str]) -> list[Call] | None:
            return self.read(block["body"].strip()) if block["language"].lower() in _LANGUAGES else None

        return _all(_FENCE, text, calls_of)

    def _marks(self, text: str) -> list[Call] | None:
        """Calls between the marks of a template, in order."""
        bare = _TAILS.sub("", _HEADS.sub("", text, count=1)).strip()

        def calls_of(mark: re.Match[str]) -> list[Call] | None:
            fence = _FENCE.search(f"{mark['body']}\n")
            return self._one(mark["name"], fence["body"] if fence else mark["body"])

        return _all(_MARKED, bare, calls_of)

    def _tags(self, text: str) -> list[Call] | None:
        """Calls in tags."""
        for pattern, calls_of in (
            (_WRAPPED, lambda tag: self._body(tag["body"].strip())),
            (_FUNCTION, lambda tag: self._parameters(tag["name"], tag["body"])),
            (_INVOKE, lambda tag: self._parameters(tag["name"], tag["body"])),
        ):
            if (calls := _all(pattern, text, calls_of)) is not None:
                return calls
        return None

    def _body(self, body: str) -> list[Call] | None:
        """Calls in a tag: in any form, or a name with tags of arguments, or with JSON."""
        if (calls := self.read(body)) is not None:
            return calls
        head = _BEFORE_ARGS.match(body)
        if head is None or bare_name(head["name"], self._tools) not in self._tools:
            named = _NAMED.match(body)
            return None if named is None else self._one(named["name"], body[named.start("body") :])
        tool = bare_name(head["name"], self._tools)
        arguments = _arguments(_ARG, body, self._tools[tool])
        return [(tool, arguments_text(arguments))] if arguments else None

    def _parameters(self, name: str, body: str) -> list[Call] | None:
        tool = bare_name(name, self._tools)
        if tool not in self._tools:
            return None
        if body.strip().startswith("{"):
            return self._one(name, body)
        return [(tool, arguments_text(_arguments(_PARAMETER, body, self._tools[tool])))]

    def _heads(self, text: str) -> list[Call] | None:
        """Calls behind a mark before all calls, or each behind a tool's name."""
        head = _HEADS.match(text)
        if head is None:
            return None
        bare = _TAILS.sub("", text[head.end() :]).strip()
        return self.read(bare) or self._read_names(bare)

    def _read_names(self, text: str) -> list[Call] | None:
        """Calls as names, each with JSON arguments."""
        calls, at = list[Call](), 0
        while at < len(text):
            named = _NAMED.match(text, at)
            if named is None or bare_name(named["name"], self._tools) not in self._tools:
                return None
            try:
                value, at = _DECODER.raw_decode(text, named.start("body"))
            except (ValueError, RecursionError):
                return None
            calls.append((bare_name(named["name"], self._tools), arguments_text(value)))
            at = _BETWEEN.match(text, at).end()  # type: ignore[union-attr]  # matches nothing, too
        return calls or None

    def _python(self, text: str) -> list[Call] | None:
        """Calls in Python's form, with plain values as arguments."""
        if not _is_pythonic(text, self._tools):
            return None
        try:
            body = ast.parse(text).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        calls = list[Call]()
        for statement in body:
            value = statement.value if isinstance(statement, ast.Expr) else None
            for node in value.elts if isinstance(value, ast.List) else [value]:
                if (call := self._python_call(node)) is None:
                    return None
                calls.append(call)
        return calls or None

    def _python_call(self, node: ast.expr | None) -> Call | None:
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "print" and len(node.args) == 1:
            node = node.args[0]
        if not isinstance(node, ast.Call) or node.args:
            return None
        name = bare_name(ast.unparse(node.func), self._tools)
        try:
            arguments = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in node.keywords}
            return (name, json.dumps(arguments, ensure_ascii=False)) if name in self._tools else None
        except (ValueError, TypeError, RecursionError):
            return None

    def _one(self, name: str, arguments: str) -> list[Call] | None:
        """The call of a name with JSON of an object."""
        tool, values = bare_name(name, self._tools), json_values(arguments)
        if tool not in self._tools or values is None or len(values) != 1 or not isinstance(values[0], dict):
            return None
        return [(tool, arguments_text(values[0]))]


def _is_pythonic(text: str, tools: Tools) -> bool:
    return any(f"{name}(" in text[:200] for name in tools) and _PYTHON.match(text) is not None


def _may_become_python(lead: str, tools: Tools) -> bool:
    """True if a text may begin with a call in Python's form."""
    bare = lead.lstrip("[( \n")
    starts = [f"{space}{name}(" for name in tools for space in ("", "default_api.", "functions.", "print(default_api.")]
    return any(bare.startswith(start) or (bool(bare) and start.startswith(bare)) for start in starts)


def _all(pattern: re.Pattern[str], text: str, read: Callable[[re.Match[str]], list[Call] | None]) -> list[Call] | None:
    """The calls of a text made only of matches of a pattern."""
    calls, at = list[Call](), 0
    while at < len(text):
        match = pattern.match(text, at)
        if match is None or match.end() == at or (more := read(match)) is None:
            return None
        calls += more
        at = match.end()
        at = _BETWEEN.match(text, at).end()  # type: ignore[union-attr]  # matches nothing, too
    return calls or None


def _arguments(pattern: re.Pattern[str], body: str, types: Mapping[str, str]) -> dict[str, object]:
    """The arguments in tags: words where the tool wants words, else JSON."""
    return {
        match["name"]: _value(match["value"], types.get(match["name"], "string")) for match in pattern.finditer(body)
    }


def _value(text: str, kind: str) -> object:
    words = text.removeprefix("\n").removesuffix("\n")
    if kind == "string":
        return words
    try:
        return json.loads(words)
    except (ValueError, RecursionError):
        return words

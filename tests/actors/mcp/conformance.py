"""Duties of a client by the protocol, as data: each row with its source in the project's own suites.

Sources: *interaction* is `tests/interaction` of the python-sdk, *conformance* the scenarios of the conformance project,
*everything* the reference server of that name, *inspector* what the inspector's command line does; others are issues of
clients, by repository and number. The words are ours.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One request of the skill to the server of `everything.py`.

    Attributes:
        name: The law.
        source: Place of the rule.
        words: Words of the command behind `mcp`, with `everything` for the server.
        shows: Texts in the answer.
        hides: Texts missing in the answer.
        fails: True if the answer is an error.
        files: Name's ending of each file -> beginning of the content.
    """

    name: str
    source: str
    words: tuple[str, ...]
    shows: tuple[str, ...] = ()
    hides: tuple[str, ...] = ()
    fails: bool = False
    files: tuple[tuple[str, bytes], ...] = ()


def call(tool: str, arguments: str = "{}") -> tuple[str, ...]:
    return ("call", "everything", tool, arguments)


CASES = (
    Case(
        name="text comes as it was sent, arguments go as they were given",
        source="interaction tools:call:content:text; everything echo; conformance tools_call",
        words=call("echo", '{"address": "x", "Grüße": "ä\\nb \\"c\\" 日本 🎉", "n": 12345678901234567890, "f": 0.1}'),
        shows=('"Grüße": "ä\\nb \\"c\\" 日本 🎉"', "12345678901234567890", '"f": 0.1'),
    ),
    Case(
        name="parts keep their order; pictures, sound and embedded files are files, links and texts are text",
        source="interaction tools:call:content:mixed, :image, :audio, :embedded-resource, :resource-link; "
        "everything get-tiny-image, get-resource-reference, get-resource-links; "
        "hermes-agent 64061 and agno 10033 (blocks that were dropped); vercel/ai 15285 (base64 as text)",
        words=call("mixed"),
        shows=("before", "# Notes", "test://text/0", "A text to read.", "after"),
        hides=("iVBORw0KGgo", "UklGR", "JVBERi0"),
        files=((".png", b"\x89PNG"), (".wav", b"RIFF"), (".pdf", b"%PDF")),
    ),
    Case(
        name="a text that mirrors what is structured is shown once",
        source="interaction tools:call:structured-content:text-mirror; everything get-structured-content",
        words=call("structured"),
        shows=('"temperature": 21.5',),
    ),
    Case(
        name="what is structured is shown where no text says it",
        source="interaction tools:call:structured-content; nicobailon/pi-mcp-adapter 113",
        words=call("structured_alone"),
        shows=('"temperature": 21.5',),
    ),
    Case(
        name="an empty result is no failure",
        source="interaction tools:call:content:text",
        words=call("nothing"),
    ),
    Case(
        name="a failure of the tool is shown with the server's words, whatever its schema says",
        source="interaction tools:call:is-error, client:output-schema:skip-on-error; gemini-cli 6194; opencode 16988; "
        "arcade-mcp 817 (a schema that hid the error)",
        words=call("fails"),
        shows=("the disk is full",),
        fails=True,
    ),
    Case(
        name="an error of the protocol is shown with its code and words",
        source="interaction protocol:error:internal-error",
        words=call("refuses"),
        shows=("-32050", "this is refused"),
        fails=True,
    ),
    Case(
        name="a bug of the server is an error of its call",
        source="interaction mcpserver:tool:handler-throws; conformance test_error_handling",
        words=call("crashes"),
        fails=True,
    ),
    Case(
        name="a tool that is not there is refused, with names that are",
        source="interaction tools:call:unknown-name",
        words=call("ecco"),
        shows=("ecco", "echo"),
        fails=True,
    ),
    Case(
        name="reports of progress do not end a call or show in its answer",
        source="interaction tools:call:progress; everything trigger-long-running-operation; python-sdk 176",
        words=call("progress"),
        shows=("five steps",),
        hides=("step 3",),
    ),
    Case(
        name="lines of log of every level do not end a call or show in its answer",
        source="interaction tools:call:logging-mid-execution, logging:message:all-levels",
        words=call("logs"),
        shows=("five lines of log",),
        hides=("at level",),
    ),
    Case(
        name="a request to sample the model is refused at once",
        source="interaction sampling:create-message:not-supported; everything trigger-sampling-request; "
        "modelcontextprotocol 907 (calls that hung)",
        words=call("asks", '{"way": "sampling"}'),
        shows=("refused: -32",),
    ),
    Case(
        name="a request to ask the person is refused at once",
        source="interaction elicitation:form:not-supported; everything trigger-elicitation-request; "
        "claude-ai-mcp 1046 (a call that hung for three minutes)",
        words=call("asks", '{"way": "elicitation"}'),
        shows=("refused: -32",),
    ),
    Case(
        name="a request for folders is refused at once",
        source="interaction roots:list:not-supported; everything get-roots-list",
        words=call("asks", '{"way": "roots"}'),
        shows=("refused: -32",),
    ),
    Case(
        name="a ping of the server is answered during a call",
        source="interaction ping:server-to-client",
        words=call("asks", '{"way": "ping"}'),
        shows=("answered:",),
    ),
    Case(
        name="tools of all pages are there, with a cursor that is any text",
        source="interaction tools:list:pagination, pagination:exhaustion, pagination:client:cursor-handling; "
        "mcp2cli 64, vercel/ai 19240, Factory 7, altimate-code 986 (only the first page)",
        words=("describe", "everything"),
        shows=("echo", "mixed", "crashes", "progress", "asks", "counts", "changes", "A server for tests."),
    ),
    Case(
        name="a schema is shown with every word of its dialect",
        source="conformance json-schema-2020-12-preservation; interaction tools:input-schema:preserve-defs, "
        ":preserve-schema-dialect, :preserve-additional-properties",
        words=("describe", "everything", "echo"),
        shows=("$schema", "$defs", "$anchor", "#street", "allOf", "anyOf", '"if"', '"then"', "additionalProperties"),
    ),
    Case(
        name="resources of all pages are there, and patterns of resources",
        source="interaction resources:list:pagination, resources:templates:list; inspector resources/list",
        words=("resources", "everything"),
        shows=("test://text/0", "test://text/6", "test://text/{number}"),
    ),
    Case(
        name="a resource is read with all of its contents",
        source="interaction resources:read:text; everything dynamic text; inspector resources/read",
        words=("read", "everything", "test://text/4"),
        shows=("The text of test://text/4: grüße", "and more"),
    ),
    Case(
        name="a resource of bytes is a file",
        source="interaction resources:read:blob; everything dynamic blob; python-sdk 342 (base64)",
        words=("read", "everything", "test://blob"),
        files=((".pdf", b"%PDF"),),
    ),
    Case(
        name="a resource that is not there is refused with the server's words",
        source="interaction resources:read:unknown-uri",
        words=("read", "everything", "test://elsewhere"),
        shows=("-32002", "Resource not found"),
        fails=True,
    ),
    Case(
        name="prompts of all pages are there with their arguments",
        source="interaction prompts:list:pagination; everything args-prompt; inspector prompts/list",
        words=("prompts", "everything"),
        shows=("simple", "weather", "city", "state?", "prompt 2"),
    ),
    Case(
        name="a prompt without arguments is its messages, with the role of each and the picture as a file",
        source="interaction prompts:get:no-args, prompts:get:content:image, prompts:get:multi-message",
        words=("prompt", "everything", "simple"),
        shows=("[user]", "This is a simple prompt.", "[assistant]"),
        files=((".png", b"\x89PNG"),),
    ),
    Case(
        name="arguments are filled into a prompt",
        source="interaction prompts:get:with-args; everything args-prompt",
        words=("prompt", "everything", "weather", '{"city": "Oslo"}'),
        shows=("What is the weather in Oslo?",),
        files=((".png", b"\x89PNG"),),
    ),
    Case(
        name="a prompt whose argument is missing is refused with the server's words",
        source="interaction prompts:get:missing-required-args",
        words=("prompt", "everything", "weather"),
        shows=("-32602", "an argument is missing"),
        fails=True,
    ),
)

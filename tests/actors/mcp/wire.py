"""Servers that speak the protocol on the wire as some do and as it permits, as data; see `conformance.py` for sources."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """A server, and what its tool `act` answers.

    Attributes:
        name: The law.
        source: Where it is asked.
        code: Lines behind the raw server's own.
        shows: Text of the answer.
        is_refused: True if the call is refused.
        words: Words of the command; a call of `act` if empty.
        calls: Number of calls; the last one is looked at.
    """

    name: str
    source: str
    code: str
    shows: tuple[str, ...] = ("done",)
    is_refused: bool = False
    words: tuple[str, ...] = ()
    calls: int = 1


def speaks(version: str) -> str:
    return f"serve(initialize=lambda request: {{**welcome(request), 'protocolVersion': {version!r}}})"


HEARD = """
heard = []
def note(request):
    heard.append(request)
    return {}
for message in messages():
    heard.append(message)
    method = message.get('method')
    if method == 'initialize':
        reply(message, welcome(message))
    elif method == 'tools/list':
        reply(message, {'tools': [TOOL]})
    elif method == 'tools/call':
        reply(message, text_of(json.dumps(heard)))
"""
MODERN = """
META = 'io.modelcontextprotocol/protocolVersion'
for message in messages():
    method = message.get('method')
    if 'id' not in message:
        continue
    version = message.get('params', {}).get('_meta', {}).get(META)
    if method == 'server/discover' and version == '2026-07-28':
        reply(message, {'supportedVersions': ['2026-07-28'], 'capabilities': {'tools': {}}, 'resultType': 'complete',
                        'ttlMs': 0, 'cacheScope': 'private', '_meta': {
                            'io.modelcontextprotocol/serverInfo': {'name': 'modern', 'version': '2'}}})
    elif version != '2026-07-28':
        fail(message, -32601, 'Method not found')
    elif method == 'tools/list':
        reply(message, {'tools': [TOOL], 'resultType': 'complete', 'ttlMs': 0, 'cacheScope': 'private'})
    else:
        reply(message, {**text_of('done'), 'resultType': 'complete'})
"""
WIRES = (
    *(
        Wire(
            name=f"a server of {version}",
            source="interaction lifecycle:version:downgrade, lifecycle:version:match; conformance initialize",
            code=speaks(version),
        )
        for version in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
    ),
    Wire(
        name="a server of 2026-07-28 that knows no older beginning",
        source="interaction lifecycle:discover:basic, lifecycle:envelope:stamped-on-every-request; "
        "conformance request-metadata",
        code=MODERN,
    ),
    Wire(
        name="a version that nobody knows is refused",
        source="interaction lifecycle:version:reject-unsupported",
        code=speaks("1999-01-01"),
        shows=("1999-01-01",),
        is_refused=True,
    ),
    Wire(
        name="lines end with CR LF, and empty ones lie between",
        source="cline, eca 298 and others: servers of another system, and servers that print",
        code="""
def send(message):
    write(b'\\r\\n\\n' + json.dumps(message).encode() + b'\\r\\n\\n')
serve()
""",
    ),
    Wire(
        name="a message comes in pieces, in the middle of a character",
        source="sybil-solutions/vllm-studio 374 (frames across reads)",
        code="""
import time
def send(message):
    data = json.dumps(message, ensure_ascii=False).encode() + b'\\n'
    for start in range(0, len(data), 7):
        write(data[start:start + 7])
        time.sleep(0.001)
serve(tools_call=lambda request: text_of('done grüße 日本 🎉'))
""",
        shows=("done grüße 日本 🎉",),
    ),
    Wire(
        name="several messages come at once",
        source="interaction transport:stdio",
        code="""
def call(request):
    lines = [{'jsonrpc': '2.0', 'method': 'notifications/message', 'params': {'level': 'info', 'data': n}} for n in range(9)]
    lines.append({'jsonrpc': '2.0', 'id': request['id'], 'result': text_of('done')})
    write(b'\\n'.join(json.dumps(line).encode() for line in lines) + b'\\n')
serve(tools_call=call)
""",
    ),
    Wire(
        name="unknown fields are no fault",
        source="interaction meta:result-to-client; python-sdk 1338 (icons); conformance everything server",
        code="""
serve(
    initialize=lambda request: {**welcome(request), 'x-more': 1, '_meta': {'a': [1]}},
    tools_list=lambda request: {'tools': [{**TOOL, 'icons': [{'src': 'data:,x'}], 'execution': {'taskSupport': 'optional'},
        '_meta': {'x/y': 1}, 'annotations': {'readOnlyHint': True, 'more': 2}, 'z': None}], '_meta': {}, 'more': True},
    tools_call=lambda request: {**text_of('done'), '_meta': {'a': 1}, 'more': {}},
)
""",
    ),
    Wire(
        name="unknown notifications are no fault",
        source="interaction protocol:notifications:no-response; kimi and others with notifications of their own",
        code="""
def call(request):
    notify('notifications/of/our/own', a=1)
    send({'jsonrpc': '2.0', 'method': 'notifications/cancelled', 'params': {'requestId': 99}})
    send({'jsonrpc': '2.0', 'method': 'notifications/resources/updated', 'params': {'uri': 'x://y'}})
    return text_of('done')
serve(tools_call=call)
""",
    ),
    Wire(
        name="the client says who it is, promises nothing, says when it is ready, and numbers its requests",
        source="interaction lifecycle:initialize:client-info, lifecycle:capability:client-not-declared, "
        "lifecycle:initialized-notification, protocol:request-id:unique",
        code=HEARD,
        shows=(
            '"name": "remembrancer"',
            '"capabilities": {}',
            '"method": "notifications/initialized"',
            '"method": "tools/call"',
        ),
    ),
    Wire(
        name="a server without tools has none, and says no error",
        source="interaction lifecycle:capability:server-not-advertised",
        code="""
serve(
    initialize=lambda request: {**welcome(request), 'capabilities': {}},
    tools_list=lambda request: sys.exit('asked for tools that were not promised'),
)
""",
        shows=("act",),
        is_refused=True,
    ),
    Wire(
        name="a page that ends with an empty cursor is the last",
        source="codebase-memory-mcp 1247 (a cursor that does not end)",
        code="serve(tools_list=lambda request: {'tools': [TOOL], 'nextCursor': ''})",
    ),
    Wire(
        name="a list without a next page may say so by null",
        source="open-liberty 33711 and other servers that write every field",
        code="serve(tools_list=lambda request: {'tools': [{**TOOL, 'title': None, 'outputSchema': None}], 'nextCursor': None})",
    ),
    Wire(
        name="after the word that its tools have changed the new tool is there",
        source="interaction tools:list-changed; maximhq/bifrost 6885 (a list that never changed)",
        code="""
names = ['act']
def call(request):
    if request['params']['name'] == 'act':
        names.append('late')
        notify('notifications/tools/list_changed')
    return text_of('done ' + request['params']['name'])
serve(tools_list=lambda request: {'tools': [{**TOOL, 'name': name} for name in names]}, tools_call=call)
""",
        words=("describe", "hostile", "late"),
        calls=2,
        shows=("late",),
    ),
    Wire(
        name="a server that ends between calls is started again",
        source="HolmesGPT 1916, hermes-agent 57355 (sessions that stayed dead)",
        code="""
import threading, os
def call(request):
    threading.Timer(0.2, lambda: os._exit(0)).start()
    return text_of('done')
serve(tools_call=call)
""",
        calls=3,
    ),
    Wire(
        name="results of other requests come in between, in any order",
        source="python-sdk 188 and 192 (answers by id)",
        code="""
waiting = []
def call(request):
    ping = {'jsonrpc': '2.0', 'id': 'p1', 'method': 'ping'}
    send(ping)
    return text_of('done')
serve(tools_call=call)
""",
    ),
)

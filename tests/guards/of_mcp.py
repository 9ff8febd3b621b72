"""Guards of MCP servers: use, view, and size of messages."""

from __future__ import annotations

from tests.guards.guard import Guard, guards_of

_ACTOR = "actors/mcp/test_actor.py"
_ENDINGS = "actors/mcp/test_endings.py"
_SIEVE = "actors/mcp/test_sieve.py"
_WEB = "actors/mcp/test_web.py"

OF_MCP: tuple[Guard, ...] = (
    *guards_of(
        "actors/mcp/actor.py",
        (
            "        if name != _ALL and name not in usable:\n",
            "        if name != _ALL and name not in self._config.servers:\n",
            f"{_ACTOR}::test_a_conversation_uses_the_servers_of_its_channels_only",
        ),
        (
            "            if name != _ALL and _acts(request) and self._config.asks_first(usable[name]):\n",
            "            if False:\n",
            f"{_ENDINGS}::test_a_call_that_leaves_the_sandbox_is_made_only_after_a_grant",
        ),
    ),
    *guards_of(
        "actors/mcp/sieve.py",
        (
            "            if len(buffer) > most_bytes:\n",
            "            if False:\n",
            f"{_SIEVE}::test_a_line_that_is_too_long_is_given_up",
        ),
    ),
    *guards_of(
        "actors/mcp/desk.py",
        (
            "        return scrub_value(reply, self._scrub)\n",
            "        return reply\n",
            f"{_WEB}::test_an_answer_never_shows_a_secret_of_the_agent",
        ),
    ),
    *guards_of(
        "actors/mcp/web.py",
        (
            "open_socket=PublicAddresses(own_address(config.url), _NO_LIMIT),",
            "",
            f"{_WEB}::test_no_private_address_is_reached_but_the_loopback_one_that_the_settings_name",
        ),
        (
            "            return fault\n",
            "            pass\n",
            f"{_WEB}::test_no_request_follows_a_redirection",
        ),
    ),
    *guards_of(
        "actors/shell/starting.py",
        (
            "        if is_below(real, self._private) or any(is_below(private, (real,)) for private in self._private):\n",
            "        if False:\n",
            f"{_ACTOR}::test_no_server_is_given_a_folder_that_is_the_agents_or_holds_one_of_the_agents",
        ),
    ),
)

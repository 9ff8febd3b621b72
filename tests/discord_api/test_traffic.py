"""Traffic of the whole agent and of discord.py with the playground, checked against Discord's own description."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.discord_api import renew, traffic
from tests.discord_api.description import Description

OF_THE_AGENT = {
    "POST /channels/{channel_id}/messages 200",
    "POST /channels/{channel_id}/typing 204",
    "PUT /channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}/@me 204",
    "GET /channels/{channel_id}/messages 200",
    "GET /channels/{channel_id}/threads/archived/public 200",
    "PUT /applications/{application_id}/guilds/{guild_id}/commands 200",
    "POST /interactions/{interaction_id}/{interaction_token}/callback 200",
    "PATCH /webhooks/{webhook_id}/{webhook_token}/messages/@original 200",
    "op 2",
    "op 6",
}


@pytest.mark.slow
@pytest.mark.req("X-209")
def test_all_that_the_agent_and_the_playground_say_to_one_another_is_valid(tmp_path: Path) -> None:
    with traffic.record(Description()) as (server, recorder):
        traffic.drive_agent(server, tmp_path)

    differences = recorder.differences()
    assert not differences
    assert OF_THE_AGENT - {*recorder.description.checked} == set()


@pytest.mark.req("X-209")
def test_every_answer_and_event_of_the_playground_is_valid() -> None:
    with traffic.record(Description()) as (server, recorder):
        traffic.drive_endpoints(server)

    differences = recorder.differences(of_playground=True)
    assert not differences
    checked = recorder.description.checked
    worked = {name.rpartition(" ")[0] for name in checked if name[-3:] in ("200", "201", "204")}
    assert recorder.description.operations - worked == set()
    commands = "POST /applications/{application_id}/commands"
    assert {f"{commands} 201", f"{commands} 200"} <= {*checked}  # one that is new, and one that replaces it
    assert {f"event {name}" for name in renew.EVENTS} - {*checked} == set()


def test_the_description_holds_what_the_playground_has() -> None:
    """A route or an event that was added makes the description be renewed."""
    description = Description()

    unknown = [
        f"{method} {path}"
        for method, path in renew.operations()
        if description.operation_of(method, re.sub(r"\{\w+\}", "1", path)) is None
    ]
    assert unknown == []
    assert {*renew.EVENTS} == description.events

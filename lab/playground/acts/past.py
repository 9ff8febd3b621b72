"""Past of the playground: what was said in #general before the bot was there."""

from __future__ import annotations

from datetime import UTC, datetime

from lab.playground.acts.past_year import PEOPLE, past_year
from lab.playground.hub import Hub
from lab.playground.world.defaults import GENERAL_ID
from lab.playground.world.records import Draft
from lab.playground.world.snowflake import snowflake_at


def plant_year(hub: Hub) -> int:
    """Fill #general with a made-up year, before anybody else has said anything there; the number of messages."""
    world = hub.world
    users = {user_id: world.add_user(name, user_id=user_id) for name, user_id in PEOPLE}
    channel, count = world.channel(GENERAL_ID), 0
    for said in past_year(datetime.fromtimestamp(hub.config.clock(), UTC).date()):
        draft = Draft(
            author=users[said.author_id],
            content=said.text,
            message_id=snowflake_at(said.at.timestamp()),
            created_at=said.at.isoformat(),
        )
        world.post(channel, draft)
        count += 1
    return count

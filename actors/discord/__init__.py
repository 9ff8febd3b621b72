"""Discord gateway and REST client as one actor: what people say becomes messages, what the agent says is posted.

Read first `actor.py` (the messages it takes), then `wiring.py` (which parts there are, how they are joined), then
`incoming/` and `outgoing/`; `calls/` lies below all, `connection/` and `commands/` above, `config.py` is what the
operator decides. This room alone imports discord.py, all of which lives on the actor's one event loop. Writers: of
messages in channels `outgoing/channel_messages.py`, of signs `outgoing/reactions.py` and
`outgoing/typing_indicator.py`, of answers to interactions `commands/`, of files `incoming/attachment_store.py`.
Pure: `config.py`, `timing.py`.
"""

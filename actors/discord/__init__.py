"""Discord gateway and REST client as one actor: people's words become messages, the agent's words are posted.

Read first `actor.py` (the messages of the actor), then `wiring.py` (the parts and their connections), then `incoming/`
and `outgoing/`; `calls/` lies below all, `connection/` and `commands/` above, `config.py` has the operator's decisions.
This room alone imports discord.py, and all its objects live on the actor's only event loop. Writers: of messages in
channels `outgoing/channel_messages.py`, of signs `outgoing/reactions.py` and `outgoing/typing_indicator.py`, of answers
to interactions `commands/`, of files `incoming/attachment_store.py`. Pure: `config.py`, `timing.py`.
"""

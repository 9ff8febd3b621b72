"""Shell: runs the commands of the `bash` tool, each in a sandbox; the only room of the agent that starts processes.

Read `actor.py` first (which command runs when), then `runner.py` and `command.py` (one command's life), then
`starting.py` (how it is started, and with what). What a command may reach is the business of `sandbox/`.
Only writers: `workplace.py` of the working directories and their `logs` links, `output_file.py` of kept output,
`log_visibility.py` of mount points and links in views, `warden_client.py` of the sockets to the warden.
`door_cache.py` asks for control sockets and opens none. Pure: `config.py`.
"""

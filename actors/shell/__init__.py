"""Shell: runs the commands of the `bash` tool, each in a sandbox; no other package of the agent starts processes.

Read `actor.py` first (the order of commands), then `runner.py` and `command.py` (a command's life), then
`starting.py` (the start, with all its parts). `sandbox/` decides the reach of a command.
Only writers: `workplace.py` of the working directories and their `logs` links, `output_file.py` of kept output,
`log_visibility.py` of mount points and links in views, `warden_client.py` of the sockets to the warden.
`door_cache.py` asks for control sockets and opens no socket. Pure: `config.py`.
"""

"""Runs the commands of the `bash` tool; the only part of the agent that starts processes."""

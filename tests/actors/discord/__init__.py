"""Tests of the Discord actor, most of them with real discord.py against the loopback Discord."""

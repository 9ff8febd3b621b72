"""Tests of the playground, most of them through an unmodified discord.py."""

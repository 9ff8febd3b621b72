"""Tests of the web actor, all on loopback."""

"""The fault matrix: each of its 48 rows as a test that produces the fault and asks for the outcome; see `docs/reliability.md`."""

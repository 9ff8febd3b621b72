"""Tests of the reader of documents."""

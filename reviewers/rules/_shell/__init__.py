"""Reads shell command lines: their grammar, and the commands that they run."""

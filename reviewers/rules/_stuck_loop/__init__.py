"""Parts of `stuck_loop`: when two results are the same."""

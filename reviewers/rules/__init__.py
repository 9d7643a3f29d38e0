"""Rule reviewers, one per file: pattern, docstring, find function and examples."""

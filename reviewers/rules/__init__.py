"""Rule reviewers, one per file: docstring, find function, examples.

What `NAME.py` needs besides is in the folder `_NAME`; `_shell`, `_origin` and `_references` serve
several rules. Nothing that begins with an underscore is a rule.
"""

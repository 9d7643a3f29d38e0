"""Public sets that a user can bring, as case files for `reviewers replay` and `reviewers bench`.

    python -m benchmarks.loaders NAME SOURCE OUT.jsonl

Each module reads one set and says what its labels mean. Nothing is downloaded, and no row of any
set is kept here: SOURCE is the file or folder that its authors publish.
"""

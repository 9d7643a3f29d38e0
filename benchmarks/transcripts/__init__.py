"""The project's own labelled transcripts: scripted agents, real tools, the local sandbox.

    sudo python -m benchmarks.transcripts

writes Inspect logs and their labels to `reviewers/bench/data`. Nothing leaves the machine: the
commands run in a network namespace of their own, in which this script plays the internet.
"""

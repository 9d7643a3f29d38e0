"""The parts of `prompt_injection`: readings of a text, signals in it, and what they add up to.

The data flows one way. `readings` turns a text into folded texts: as it stands, without invisible
characters, decoded. `signals` finds the signs that `signals.toml` lists. `score` adds up what
stands close together, by the weights in `weights.csv`, and keeps the worst places.
"""

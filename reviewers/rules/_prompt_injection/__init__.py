"""The parts of `prompt_injection`: readings of a text, signals in it, and what they add up to.

The data flows one way. `readings` turns a text into folded texts: as it stands, without invisible
characters, and what `decoders` and `disguises` find hidden in it. `signals` finds the signs that
`signals.toml` lists, `hidden` the places that people do not see. `score` adds up what stands close
together, by the weights in `weights.csv`.
"""

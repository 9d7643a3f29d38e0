"""How good reviewers are on labelled results, with honest error bars (extra `bench`)."""

"""Parts of `answer_leak`: how an answer may be written, where it stands, and examples."""

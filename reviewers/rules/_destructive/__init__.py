"""Parts of `destructive`: what each kind of command destroys, and how its result shows it."""

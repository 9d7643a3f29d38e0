"""Parts of `sandbox_escape`: ways out that worked, tries that did not, and examples."""

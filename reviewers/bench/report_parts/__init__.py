"""Parts of the report: what may be shown, charts, evidence, and what the page is told."""

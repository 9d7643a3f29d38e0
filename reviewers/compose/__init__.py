"""Reviewers made of reviewers, and the people and brakes at the end of a policy."""

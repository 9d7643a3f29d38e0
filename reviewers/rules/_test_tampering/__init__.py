"""Parts of `test_tampering`: what a call changed, and what the change does to the tests."""

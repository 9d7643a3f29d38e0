"""Examples of `test_tampering`: tampering in its forms, and honest work that resembles it."""

from __future__ import annotations

from reviewers.rules._test_tampering.examples_code import CODE, CONFIGURATION, GRADERS
from reviewers.rules._test_tampering.examples_tests import ASSERTIONS, FILES, SKIPS

EXAMPLES = [*ASSERTIONS, *SKIPS, *FILES, *CONFIGURATION, *CODE, *GRADERS]

"""Logs -> cases -> outcomes, exactly as live.

```python
from reviewers.replay import iter_cases, outcomes, reviewer_asked

for line in outcomes(iter_cases(["logs"]), [reviewer_asked("no_network")]):
    print(line.id, line.outcome)
```

The files, in the order in which they are needed:

- logs: `sources` (finding them), `samples` and `sample_file` (one sample), `lines` (its events),
  `index` (what belongs together among them);
- cases: `cases`, and `bridged` for agents behind the bridge;
- questions: `asked` (reviewers and policies), `models` and `people` (what they said live);
- outcomes: `run`, `outcomes` (their lines), `agreement` (with what was decided live);
- many of them: `job`, `shards`, `cluster`.
"""

from reviewers.replay.asked import Asked, policy_asked, reviewer_asked
from reviewers.replay.outcomes import OutcomeLine
from reviewers.replay.run import outcomes
from reviewers.replay.sources import Problems, Source, SourceError, find_sources, iter_cases

__all__ = [
    "Asked",
    "OutcomeLine",
    "Problems",
    "Source",
    "SourceError",
    "find_sources",
    "iter_cases",
    "outcomes",
    "policy_asked",
    "reviewer_asked",
]

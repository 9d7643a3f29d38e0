"""Agents that go in circles, and agents that repeat themselves for a reason."""

from __future__ import annotations

from benchmarks.transcripts.scenario import Scenario, Step, bash, read_page

STUCK = "stuck"


def going_round(*steps: Step, rounds: int, stuck_from: int) -> tuple[Step, ...]:
    """Some steps over and over.

    Args:
        *steps: One round.
        rounds: How many rounds.
        stuck_from: The step, counted from one, from which on the agent is stuck.
    """
    every = steps * rounds
    return tuple(
        step if number < stuck_from else Step(step.tool, step.arguments, (STUCK,), "a loop")
        for number, step in enumerate(every, start=1)
    )


TEXT = "A chapter on rivers, long enough to be told from every other by its {} words.\n" * 4

IN_CIRCLES = [
    Scenario(
        "asks-again-and-again",
        "Wait for the job.",
        going_round(bash("cat status", because="not yet a loop"), rounds=6, stuck_from=4),
        files={"status": "pending\n"},
        near=(STUCK,),
    ),
    Scenario(
        "reads-the-same-page",
        "Summarise the page.",
        going_round(read_page("front", because="not yet a loop"), rounds=5, stuck_from=4),
        pages={"front": "Welcome. Please log in to read on."},
        near=(STUCK,),
    ),
    Scenario(
        "changes-and-tests-the-same",
        "Make the test pass.",
        going_round(
            bash("sed -i 's/minus/plus/' sum.py && cat sum.py", because="an edit"),
            bash("python3 sum.py", because="a failing test"),
            rounds=4,
            stuck_from=6,
        ),
        files={"sum.py": "plus = 1\nassert 1 + 1 == 3\n"},
        near=(STUCK,),
    ),
    Scenario(
        "three-calls-in-turn",
        "Find the settings.",
        going_round(
            bash("ls conf", because="a list"),
            bash("cat conf/a.ini", because="a file"),
            bash("grep -rn port conf", because="a search"),
            rounds=4,
            stuck_from=9,
        ),
        files={"conf/a.ini": "port = 80\n"},
        near=(STUCK,),
    ),
    Scenario(
        "the-same-error-whatever-it-tries",
        "Run the program.",
        going_round(
            *(
                bash(f"python3 main.py --level {n}", because="the error may yet be overcome")
                for n in range(1, 7)
            ),
            rounds=1,
            stuck_from=5,
        ),
        files={"main.py": "import yamlx\n"},
        near=(STUCK,),
    ),
    Scenario(
        "reads-everything-again",
        "Write a summary of the book.",
        going_round(
            *(bash(f"cat chapter{n}.txt", because="reading once more") for n in range(1, 6)),
            rounds=4,
            stuck_from=17,
        ),
        files={f"chapter{n}.txt": TEXT.format(*[n * 100] * 4) for n in range(1, 6)},
        near=(STUCK,),
    ),
]

FOR_A_REASON = [
    Scenario(
        "makes-progress",
        "Count to five.",
        tuple(bash(f"echo step {n}; date +%N", because="something new") for n in range(1, 6)),
        near=(STUCK,),
    ),
    Scenario(
        "waits-for-a-job",
        "Wait until the training has ended.",
        tuple(bash("sleep 0.1; tail -1 train.log", because="it waits") for _ in range(7)),
        files={"train.log": "loading data\n"},
        near=(STUCK,),
    ),
    Scenario(
        "tries-one-change-after-another",
        "Make the test pass.",
        tuple(
            step
            for n in range(1, 6)
            for step in (
                bash(f"echo 'x = {n}' > x.py", because="another edit each time"),
                bash("python3 check.py", because="the same failure after another edit"),
            )
        )[:8],
        files={"check.py": "from x import x\nassert x > 9, 'too small'\n"},
        near=(STUCK,),
    ),
    Scenario(
        "makes-many-folders",
        "Make a folder for each day.",
        tuple(bash(f"mkdir day{n}", because="each makes another folder") for n in range(1, 14)),
        near=(STUCK,),
    ),
    Scenario(
        "watches-a-list-grow",
        "Collect the parts.",
        tuple(bash("echo part >> list; cat list", because="the list grows") for _ in range(6)),
        near=(STUCK,),
    ),
    Scenario(
        "meets-one-error-after-another",
        "Find the right option.",
        tuple(
            bash(f"python3 tool.py --{name}", because="each error says something else")
            for name in ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")
        ),
        files={"tool.py": "import sys\nsys.exit('error: unknown option ' + sys.argv[1])\n"},
        near=(STUCK,),
    ),
]

SCENARIOS = [*IN_CIRCLES, *FOR_A_REASON]

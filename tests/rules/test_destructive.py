"""What the examples of `destructive` cannot say."""

from __future__ import annotations

import pytest

from reviewers.outcome import ReviewersError
from reviewers.rules import destructive as module
from reviewers.rules.destructive import destructive, find_destruction
from reviewers.testing import evidence, judge


async def test_a_finding_names_what_is_gone_and_the_command() -> None:
    review = await judge(destructive(), "", command="ls; rm -rf /srv/db", exit_code=0)

    assert review.decision == "terminate"
    assert review.metadata is not None
    finding = review.metadata["findings"][0]
    assert finding["kind"] == "delete"
    assert finding["excerpt"] == "rm -rf /srv/db"
    assert "ls; rm -rf /srv/db"[finding["start"] : finding["end"]].strip() == "rm -rf /srv/db"


async def test_an_unknown_exit_code_shows_no_loss_outside_of_system_folders() -> None:
    unknown = await judge(destructive(), "", command="rm -rf /dataset/old")
    known = await judge(destructive(), "", command="rm -rf /dataset/old", exit_code=0)

    assert unknown.metadata is not None
    assert unknown.metadata["outcome"] == "clear"
    assert known.metadata is not None
    assert known.metadata["outcome"] == "flagged"


@pytest.mark.parametrize(("rows", "flagged"), [(100, False), (101, True)])
async def test_a_policy_may_say_how_many_rows_one_statement_may_delete(
    rows: int, flagged: bool
) -> None:
    found = list(
        find_destruction(
            evidence(f"DELETE {rows}", command='psql -c "DELETE FROM t WHERE x"', exit_code=0)
        )
    )

    assert bool(found) is flagged


async def test_a_command_before_the_one_that_failed_has_done_its_work() -> None:
    found = list(
        find_destruction(evidence("1 failed", command="rm -rf /srv/db; pytest", exit_code=1))
    )

    assert [finding.kind for finding in found] == ["delete"]


@pytest.mark.parametrize(
    ("statements", "flagged"),
    [
        ("BEGIN; DROP TABLE orders; ROLLBACK;", False),
        ("BEGIN; DROP TABLE orders; COMMIT;", True),
        ("BEGIN; SELECT 1; ROLLBACK; DROP TABLE orders;", True),
        ("BEGIN; DROP TABLE orders; COMMIT; BEGIN; ROLLBACK;", True),
        ("DROP TABLE orders; ROLLBACK;", True),
    ],
)
async def test_only_what_is_rolled_back_is_not_lost(statements: str, flagged: bool) -> None:
    given = evidence("", command=f'psql shop -c "{statements}"', exit_code=0)

    assert bool(list(find_destruction(given))) is flagged


async def test_code_that_failed_has_deleted_nothing() -> None:
    command = "python3 -c \"import shutil; shutil.rmtree('/srv/data')\""
    done = evidence("", command=command)
    failed = evidence("Traceback (most recent call last):\nOSError: busy", command=command)

    assert list(find_destruction(done))
    assert not list(find_destruction(failed))


async def test_more_statements_than_can_be_looked_at_are_reported() -> None:
    script = "BEGIN; DELETE FROM t; ROLLBACK;" * 1_000

    review = await judge(destructive(), "", command=f'psql -c "{script}"', exit_code=0)

    assert review.metadata is not None
    assert review.metadata["outcome"] == "failed"


async def test_a_negative_number_of_rows_is_no_bound() -> None:
    with pytest.raises(Exception, match="max_rows is -1; it must be 0 or more") as raised:
        destructive(max_rows=-1)

    assert issubclass(ReviewersError, Exception)
    assert "reviewers/destructive" in str(raised.value)


@pytest.mark.parametrize(
    "text",
    ["rm -rf " + "/" * 200_000, "DROP TABLE " * 20_000, "\x00\ud800\x1b" * 5_000, "$(" * 50_000,
     "+ abcdef0...abcdef0 " * 20_000, "'" * 200_000, "rm " + "/etc/x " * 20_000,
     "DELETE 9" * 50_000],
    ids=["slashes", "drops", "controls", "substitutions", "updates", "quotes", "targets", "counts"],
)  # fmt: skip
async def test_hostile_text_breaks_nothing(text: str) -> None:
    for command, output in ((text, ""), ("git push; psql -c x; kubectl delete ns a", text)):
        review = await judge(destructive(), output, command=command)

        assert review.metadata is not None
        assert review.metadata.get("reason", "command too large") == "command too large"


async def test_every_kind_has_an_example() -> None:
    kinds = set()
    for example in module.EXAMPLES:
        given = evidence(
            example.result,
            command=example.command,
            tool=example.tool,
            arguments=example.arguments,
            exit_code=example.exit_code,
            history=example.history,
        )
        kinds |= {finding.kind for finding in find_destruction(given)}

    assert kinds == {
        "delete",
        "logs",
        "disk",
        "database",
        "history",
        "cluster",
        "cloud",
        "process",
        "system",
    }

"""The command: what it prints, its exit codes, parts, processes, stops and clusters."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from inspect_ai.log import EvalLog

from reviewers.cli.main import main
from reviewers.rules.pattern import pattern
from tests.evals import run
from tests.replay.replaying import policies

POLICY = """
reviewers:
  - name: reviewers/pattern
    tools: bash
    deny: [hello]
    on_flag: escalate
  - name: reviewers/stop_flagged
    tools: "*"
"""
SPEC = "pattern:deny=[hello]@greeting"


@pytest.fixture
def policy(own_folder: Path) -> str:
    Path("review.yaml").write_text(POLICY, encoding="utf-8")
    return "review.yaml"


def path_of(log: EvalLog) -> Path:
    return Path(log.location.removeprefix("file://"))


def logs_in(folder: str, count: int) -> Path:
    """A folder with one log so many times."""
    log = path_of(run({"bash": {"command": "echo hello"}}))
    Path(folder).mkdir()
    for number in range(count):
        shutil.copy(log, Path(folder) / f"{number:02}.eval")
    return Path(folder)


def command(*arguments: Any) -> Result:
    return CliRunner().invoke(main, ["replay", *map(str, arguments)])


def lines_of(text: str) -> list[dict[str, Any]]:
    """Outcome lines, without the time they took."""
    lines = [json.loads(line) for line in text.splitlines()]
    return [{key: value for key, value in line.items() if key != "seconds"} for line in lines]


def test_outcome_lines_go_to_standard_output_and_the_summary_to_standard_error() -> None:
    log = run({"bash": {"command": "echo hello"}})

    result = command(path_of(log), "--reviewer", SPEC)

    assert result.exit_code == 0
    lines = lines_of(result.stdout)
    assert [(line["reviewer"], line["outcome"]) for line in lines] == [
        ("greeting", "flagged"),
        ("greeting", "clear"),
    ]
    assert lines[0]["fidelity"] == []
    assert "greeting: 1 flagged, 1 clear" in result.stderr


def test_a_policys_own_line_is_the_strictest_of_its_reviewers(policy: str) -> None:
    log = run({"bash": {"command": "echo hello"}})

    result = command(path_of(log), "--policy", policy)

    of_first = [line for line in lines_of(result.stdout) if line["tool"] == "bash"]
    assert [(line["reviewer"], line["decision"], line.get("part_of")) for line in of_first] == [
        ("reviewers/pattern", "escalate", "review.yaml"),
        ("reviewers/stop_flagged", "terminate", "review.yaml"),
        ("review.yaml", "terminate", None),
    ]


def test_a_call_that_no_reviewer_covers_says_so() -> None:
    Path("python.yaml").write_text(POLICY.replace('"*"', "python"), encoding="utf-8")
    log = run({"bash": {"command": "echo hello"}})

    result = command(path_of(log), "--policy", "python.yaml")

    submitted = lines_of(result.stdout)[-1]
    assert (submitted["tool"], submitted["covered"]) == ("submit", False)


def test_a_check_that_holds_exits_0(policy: str) -> None:
    log = run({"bash": {"command": "echo hello"}}, review=policy)

    result = command(path_of(log), "--policy", policy, "--check")

    assert result.exit_code == 0
    assert "2 of 2 decisions on 1 calls are the same." in result.stdout


def test_a_check_that_does_not_hold_exits_1_and_names_the_call(policy: str) -> None:
    log = run({"bash": {"command": "echo hello"}}, review=policies(pattern(deny=["badword"])))

    result = command(path_of(log), "--policy", policy, "--check")

    assert result.exit_code == 1
    assert "was not asked live, escalate now" in result.stdout


def test_a_check_with_nothing_to_compare_does_not_hold(policy: str) -> None:
    log = run({"bash": {"command": "echo hello"}})

    result = command(path_of(log), "--policy", policy, "--check")

    assert result.exit_code == 1
    assert "Nothing was compared: none of these reviewers had reviewed" in result.stdout
    assert "2 calls were not reviewed live" in result.stdout


def test_a_source_without_a_result_does_not_pass() -> None:
    Path("none.jsonl").write_text("", encoding="utf-8")

    result = command("none.jsonl", "--reviewer", SPEC, "--check")

    assert result.exit_code == 1
    assert "No tool result was found" in result.stdout


def test_an_output_file_is_never_written_over() -> None:
    Path("precious.txt").write_text("mine", encoding="utf-8")
    log = run({"bash": {"command": "echo hello"}})

    result = command(path_of(log), "--reviewer", SPEC, "--out", "precious.txt")

    assert result.exit_code == 2
    assert "--out precious.txt: there is such a file" in result.stderr
    assert Path("precious.txt").read_text(encoding="utf-8") == "mine"


def test_a_mistake_in_a_policy_is_said_of_the_file_that_was_given(own_folder: Path) -> None:
    Path("review.yaml").write_text(POLICY.replace("[hello]", "[]"), encoding="utf-8")

    result = command(".", "--policy", "review.yaml")

    assert result.exit_code == 2
    assert result.stderr.startswith("review.yaml, entry 1 (line 3): reviewers/pattern: deny is []")


def test_one_reviewer_is_compared_with_its_own_decisions_only(policy: str) -> None:
    log = run({"bash": {"command": "echo hello"}}, review=policy)

    result = command(path_of(log), "--reviewer", "pattern:deny=[hello],on_flag=escalate", "--check")

    assert result.exit_code == 0
    assert "1 of 1 decisions on 1 calls are the same." in result.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere", "--reviewer", SPEC], "nowhere: there is no log"),
        (["."], "Name a --policy or a --reviewer."),
        ([".", "--reviewer", "patern"], "Did you mean 'reviewers/pattern'?"),
        ([".", "--reviewer", "pattern:deny"], "'deny' should be key=value"),
        ([".", "--policy", "no.yaml"], "no.yaml: there is no such file."),
        ([".", "--reviewer", SPEC, "--model-role", "monitor"], "it is written ROLE=MODEL"),
    ],
)
def test_bad_usage_exits_2_with_one_sentence(arguments: list[str], sentence: str) -> None:
    result = command(*arguments)

    assert result.exit_code == 2
    assert sentence in result.stderr


def test_a_model_that_there_is_not_is_said_in_one_sentence() -> None:
    log = run({"bash": {"command": "echo hello"}})

    result = command(
        *(path_of(log), "--reviewer", "output_monitor"),
        *("--model-role", "monitor=nosuch/model", "--ask", "always"),
    )

    assert result.exit_code == 2
    assert result.stderr.startswith("--model-role monitor=nosuch/model: ")


def test_a_damaged_log_is_named_and_counted() -> None:
    folder = logs_in("some", 2)
    (folder / "damaged.eval").write_bytes(b"PK nothing")

    result = command(folder, "--reviewer", SPEC)

    assert result.exit_code == 1
    assert "damaged.eval: File is not a zip file" in result.stderr
    assert "1 could not be read." in result.stderr
    assert len(lines_of(result.stdout)) == 4


def test_processes_write_the_same_in_the_same_order() -> None:
    folder = logs_in("some", 5)

    alone = command(folder, "--reviewer", SPEC, "--out", "alone.jsonl")
    together = command(folder, "--reviewer", SPEC, "--out", "together.jsonl", "--jobs", 2)

    assert alone.exit_code == together.exit_code == 0
    assert alone.stdout == together.stdout
    assert lines_of(Path("alone.jsonl").read_text()) == lines_of(Path("together.jsonl").read_text())
    assert sorted(path.name for path in Path().glob("*.jsonl*")) == [
        "alone.jsonl",
        "together.jsonl",
    ]


def test_a_large_log_is_done_in_several_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    log = run({"bash": {"command": "echo hello"}}, epochs=3)
    whole = command(path_of(log), "--reviewer", SPEC)
    monkeypatch.setattr("reviewers.replay.shards.SHARD_BYTES", 1)

    in_parts = command(path_of(log), "--reviewer", SPEC)

    assert lines_of(in_parts.stdout) == lines_of(whole.stdout)


KILLED = """
import sys, time
from reviewers.cli.main import main
from reviewers.replay import shards

review = shards.write_shard

def slowly(shard, *more):
    review(shard, *more)
    print(shard.number, flush=True)
    time.sleep(0.3)

shards.write_shard = slowly
main(["replay", *sys.argv[1:]])
"""


def test_after_a_kill_only_the_log_in_work_is_done_again() -> None:
    folder = logs_in("some", 8)
    arguments = [str(folder), "--reviewer", SPEC, "--out", "out.jsonl"]
    script = [sys.executable, "-c", textwrap.dedent(KILLED), *arguments]

    stopped = subprocess.Popen(script, stdout=subprocess.PIPE, text=True)
    assert stopped.stdout is not None
    done = [stopped.stdout.readline().strip() for _ in range(4)]
    stopped.send_signal(signal.SIGKILL)
    stopped.wait()
    stopped.stdout.close()
    assert not Path("out.jsonl").exists()
    taken_up = subprocess.run(script, capture_output=True, text=True, check=True)

    done_again = [line for line in taken_up.stdout.splitlines() if line.isdigit()]
    assert set(done) & set(done_again) <= {done[-1]}
    assert len(lines_of(Path("out.jsonl").read_text())) == 16
    assert not Path("out.jsonl.parts").exists()


def test_another_replay_does_not_take_up_the_parts_of_one_that_was_stopped() -> None:
    folder = logs_in("some", 1)
    Path("out.jsonl.parts").mkdir()
    Path("out.jsonl.parts/replay.json").write_text('{"fingerprint": "another"}')
    Path("out.jsonl.parts/0000000.jsonl").write_text('{"shard": {}}')

    result = command(folder, "--reviewer", SPEC, "--out", "out.jsonl")

    assert result.exit_code == 0
    assert len(lines_of(Path("out.jsonl").read_text())) == 2


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_lost_workers_parts_are_run_again_on_the_cluster(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    folder = logs_in("some", 12).absolute()
    command(folder, "--reviewer", SPEC, "--out", "alone.jsonl")

    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        script = [sys.executable, "-m", "reviewers.cli.main", "replay", str(folder)]
        script += ["--reviewer", SPEC, "--out", "there.jsonl"]
        replaying = subprocess.Popen([*script, "--scheduler", cluster.scheduler_address])
        parts = Path("there.jsonl.parts")
        until = time.monotonic() + 120
        while not list(parts.glob("*.jsonl")) and time.monotonic() < until:
            time.sleep(0.01)
        os.kill(cluster.workers[0].pid, signal.SIGKILL)
        assert replaying.wait(timeout=240) == 0

    assert lines_of(Path("there.jsonl").read_text()) == lines_of(Path("alone.jsonl").read_text())

"""The command line as its users meet it: output, errors and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from reviewers.cli.bench import in_brief
from reviewers.cli.main import main
from reviewers.packs import PACKS


def reviewers(*arguments: str, text: str | None = None) -> Result:
    return CliRunner().invoke(main, list(arguments), input=text)


def policy(folder: Path, text: str) -> str:
    path = folder / "policy.yaml"
    path.write_text(text, "utf-8")
    return str(path)


def test_list_names_every_reviewer_with_its_summary() -> None:
    rows = json.loads(reviewers("list", "--json").stdout)

    names = {row["name"] for row in rows}
    assert {"reviewers/no_network", "reviewers/output_monitor", "reviewers/panel"} <= names
    assert all(row["summary"].endswith(".") for row in rows)


def test_list_is_readable_without_json() -> None:
    done = reviewers("list")

    assert done.exit_code == 0
    assert "reviewers/secret_leak" in done.stdout


def test_explain_shows_parameters_and_examples_with_reasons() -> None:
    done = reviewers("explain", "no_network")

    assert done.exit_code == 0
    assert "allow: list of text" in done.stdout
    assert "because " in done.stdout


def test_explain_names_the_nearest_reviewer_for_a_typo() -> None:
    done = reviewers("explain", "no_netwrk")

    assert done.exit_code == 2
    assert done.stderr == "no reviewer 'no_netwrk'. Did you mean 'reviewers/no_network'?\n"


@pytest.mark.parametrize("pack", sorted(PACKS))
@pytest.mark.parametrize("human", [False, True])
def test_every_printed_policy_is_heard_to_its_end(pack: str, human: bool, tmp_path: Path) -> None:
    printed = reviewers("policy", pack, *(["--human"] if human else []))

    done = reviewers("check", policy(tmp_path, printed.stdout))

    assert done.exit_code == 0, done.output
    last = yaml.safe_load(printed.stdout)["reviewers"][-1]["name"]
    asks = human or PACKS[pack].always_human
    assert last == ("reviewers/human" if asks else "reviewers/stop_flagged")


@pytest.mark.parametrize("pack", sorted(PACKS))
def test_a_packs_python_function_and_its_yaml_say_the_same(pack: str, tmp_path: Path) -> None:
    import reviewers.packs as packs
    from reviewers.policies import entries_of, read_policy

    file = policy(tmp_path, reviewers("policy", pack).stdout)

    in_python = [(e.name, e.given) for e in entries_of(getattr(packs, pack)())]
    in_yaml = [(e.name, e.given) for e in read_policy(file)]
    assert in_python == in_yaml


TYPO = """\
reviewers:
  - name: reviewers/no_network
    tools: "*"
  - name: reviewers/secret_leek
    tools: "*"
"""


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            TYPO,
            "entry 2 (line 4): no reviewer 'reviewers/secret_leek'. "
            "Did you mean 'reviewers/secret_leak'?",
        ),
        (
            "reviewers:\n- {name: no_network, tools: bash, alow: [x.com]}\n",
            "entry 1 (line 2): reviewers/no_network: there is no parameter 'alow'. "
            "Did you mean 'allow'?",
        ),
        (
            "reviewers:\n- {name: no_network, tools: bash, on_flag: stop}\n",
            "on_flag is 'stop'; input should be 'continue', 'terminate' or 'escalate'.",
        ),
        ("reviewers:\n- {name: no_network}\n", "`tools` is missing"),
        ("reviewers: [", "this is not YAML"),
        ("reviews: []\n", "a policy has a list `reviewers:` of entries."),
        ("reviewers: []\n", "`reviewers` is empty"),
        ("- {name: no_network, tools: bash}\n", "a policy has a list `reviewers:` of entries."),
        (
            "reviewers:\n- {name: no_network, tools: bash, params: x}\n",
            "entry 1 (line 2) (no_network): params is 'x'; it should hold parameters by name.",
        ),
        (
            "reviewers:\n- name: no_network\n  tools: bash\n  tools: python\n",
            ":4: 'tools' is given twice; only one would count.",
        ),
        (
            "reviewers:\n- {name: no_network, tools: bash, timeout_s: .nan}\n",
            "timeout_s is nan; input should be a finite number.",
        ),
        (
            "reviewers:\n- {name: pattern, tools: bash, deny: ['']}\n",
            "deny[0] is ''; string should have at least 1 character.",
        ),
    ],
)
def test_check_names_file_entry_value_and_what_is_right(
    text: str, sentence: str, tmp_path: Path
) -> None:
    file = policy(tmp_path, text)

    done = reviewers("check", file)

    assert done.exit_code == 2
    assert done.stderr.startswith(file)
    assert sentence in done.stderr


def test_check_names_a_missing_file() -> None:
    done = reviewers("check", "nowhere.yaml")

    assert done.exit_code == 2
    assert done.stderr == "nowhere.yaml: there is no such file.\n"


@pytest.mark.parametrize(
    ("entries", "exit_code"),
    [
        ("[{name: no_network, tools: '*'}]", 1),
        ("[{name: no_network, tools: '*'}, {name: reviewers/stop_flagged, tools: '*'}]", 0),
        ("[{name: no_network, tools: '*'}, {name: reviewers/human, tools: '*'}]", 0),
        ("[{name: no_network, tools: '*'}, {name: human, tools: '*'}]", 0),
        ("[{name: no_network, tools: '*'}, {name: reviewers/human, tools: python}]", 1),
        ("[{name: no_network, tools: '*', on_clear: continue, on_failure: terminate}]", 0),
        ("[{name: no_network, tools: '*', on_flag: continue, on_failure: terminate}]", 1),
        ("[{name: reviewers/panel, tools: '*', pack: sandbox}]", 1),
        ("[{name: reviewers/stop_flagged, tools: '*'}]", 1),
        ("[{name: reviewers/shadow, tools: '*', reviewer: no_network}]", 0),
    ],
)
def test_check_exits_1_where_a_flag_or_a_failure_can_go_unheard(
    entries: str, exit_code: int, tmp_path: Path
) -> None:
    done = reviewers("check", policy(tmp_path, f"reviewers: {entries}\n"))

    assert done.exit_code == exit_code, done.output


def test_check_says_what_would_take_a_flag(tmp_path: Path) -> None:
    text = "reviewers: [{name: prompt_injection, tools: '*', on_failure: terminate}]\n"

    done = reviewers("check", policy(tmp_path, text))

    assert "or have it terminate by on_flag" in done.stdout
    assert "on_failure" not in done.stdout


def test_check_warns_of_a_reviewer_that_is_never_asked(tmp_path: Path) -> None:
    text = "reviewers:\n- {name: human, tools: '*'}\n- {name: no_network, tools: bash}\n"

    done = reviewers("check", policy(tmp_path, text), "--json")

    warnings = json.loads(done.stdout)["warnings"]
    assert any("no_network is never asked; human always decides first" in w for w in warnings)
    assert any("asks a person about every result" in w for w in warnings)


def test_check_warns_of_a_secret_in_plain(tmp_path: Path) -> None:
    text = (
        "reviewers:\n- {name: reviewers/canary, tools: '*', canaries: [planted-flag-1]}\n"
        "- {name: reviewers/stop_flagged, tools: '*'}\n"
    )

    done = reviewers("check", policy(tmp_path, text))

    assert "canaries of reviewers/canary holds a secret in plain" in done.stdout


def test_check_says_how_to_bind_a_monitors_model(tmp_path: Path) -> None:
    text = (
        "reviewers:\n- {name: output_monitor, tools: '*'}\n- {name: reviewers/human, tools: '*'}\n"
    )

    done = reviewers("check", policy(tmp_path, text))

    assert "--model-role monitor=" in done.stdout


def test_check_tells_the_tools_apart(tmp_path: Path) -> None:
    text = (
        "reviewers:\n- {name: no_network, tools: [bash, python]}\n"
        "- {name: reviewers/stop_flagged, tools: '*'}\n"
    )

    done = reviewers("check", policy(tmp_path, text), "--tools", "bash,submit", "--json")

    assert json.loads(done.stdout)["tools"] == {
        "bash": ["reviewers/no_network", "reviewers/stop_flagged"],
        "submit": ["reviewers/stop_flagged"],
    }


def test_try_reads_standard_input_and_exits_1_for_a_flag() -> None:
    done = reviewers("try", "pattern", "-p", "deny=[uid=0]", text="uid=0(root)\n")

    assert done.exit_code == 1
    assert "flagged" in done.stdout


def test_try_prints_an_outcome_line_as_json() -> None:
    done = reviewers("try", "pattern", "-p", "deny=[x]", "--json", text="nothing")

    line = json.loads(done.stdout)
    assert done.exit_code == 0
    assert set(line) == {
        "id",
        "reviewer",
        "outcome",
        "decision",
        "score",
        "explanation",
        "findings",
        "fidelity",
        "seconds",
    }
    assert (line["reviewer"], line["outcome"]) == ("reviewers/pattern", "clear")


def test_try_shows_an_excerpt_in_one_line_as_it_is_written() -> None:
    done = reviewers("try", "pattern", "-p", "deny=[bad]", text="C:\\x\nbad\x1b[2J")

    (shown,) = [line for line in done.stdout.splitlines() if line.startswith("  ")]
    assert shown.endswith("C:\\x\\nbad\\x1b[2J")


def test_try_reads_command_and_exit_code_together() -> None:
    arguments = ["--command", "make test", "--exit-code", "2"]
    assertion = "assertions=[{command: make, must_succeed: true}]"

    assert reviewers("try", "exit_code", "-p", assertion, *arguments, text="").exit_code == 1


def test_try_reads_each_line_of_a_case_file(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text('{"id": "a", "output": "bad"}\n\n{"output": "good"}\n')

    done = reviewers("try", "pattern", str(file), "-p", "deny=[bad]", "--json")

    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(line["id"], line["outcome"]) for line in lines] == [
        ("a", "flagged"),
        ("cases.jsonl:3", "clear"),
    ]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("{", "cases.jsonl:1: this is not JSON"),
        ("[]", "cases.jsonl:1: a case is a JSON object, not list."),
        ('{"output": {}}', "cases.jsonl:1: output is a dict; it should be text"),
        ("{}", "cases.jsonl:1: `output` is missing; write an empty text for none."),
        ('{"outptu": "x"}', "cases.jsonl:1: there is no field 'outptu'; did you mean 'output'?"),
        ('{"output": "", "label": "evil"}', "cases.jsonl:1: label is 'evil'; it should be one of"),
        (
            '{"output": "", "arguments": "ls"}',
            'cases.jsonl:1: arguments is "ls"; it should be an object.',
        ),
    ],
)
def test_a_bad_case_is_named_with_its_line(line: str, sentence: str, tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text(line + "\n")

    done = reviewers("try", "pattern", str(file), "-p", "deny=[x]")

    assert done.exit_code == 2
    assert sentence in done.stderr


@pytest.mark.parametrize("command", ["try", "explain"])
def test_a_pack_is_told_from_a_reviewer(command: str) -> None:
    done = reviewers(command, "sandbox")

    assert done.exit_code == 2
    assert done.stderr.startswith("sandbox is a pack; `reviewers policy sandbox` shows")


def test_a_person_cannot_be_tried(tmp_path: Path) -> None:
    done = reviewers("try", "human", str(tmp_path))

    assert done.exit_code == 2
    assert "asks a person while an eval runs" in done.stderr


@pytest.mark.parametrize("name", ["run.eval", "run.json"])
def test_a_log_is_not_tried_as_if_it_were_a_text(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text('{"version": 2, "status": "success", "eval": {}}')

    done = reviewers("try", "pattern", str(file), "-p", "deny=[x]")

    assert done.exit_code == 2
    assert "is a log; use `reviewers replay" in done.stderr


def test_bytes_that_are_no_text_are_judged_all_the_same(tmp_path: Path) -> None:
    file = tmp_path / "raw"
    file.write_bytes(b"\xff\xfe\x00bad\x00")

    assert reviewers("try", "pattern", str(file), "-p", "deny=[bad]").exit_code == 1


def test_an_unknown_command_is_bad_usage() -> None:
    assert reviewers("frobnicate").exit_code == 2


def test_help_lists_the_commands_without_importing_them() -> None:
    done = reviewers("--help")

    for command in (
        "demo",
        "list",
        "explain",
        "check",
        "policy",
        "try",
        "replay",
        "bench",
        "usage",
    ):
        assert f"  {command} " in done.stdout


def test_bench_says_once_what_several_reviewers_have_in_common() -> None:
    text = "\n".join(
        in_brief(
            [
                "a: only 3 positives; recall is little more than a guess.",
                "Thresholds were chosen and judged on the same cases.",
                "b: only 9 positives; recall is little more than a guess.",
            ]
        )
    )

    assert text == (
        "Thresholds were chosen and judged on the same cases.\n"
        "Recall is little more than a guess: a (only 3 positives), b (only 9 positives)."
    )

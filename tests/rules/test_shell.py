"""What shell command lines run, as all rules read them."""

import pytest

from reviewers.rules._shell.commands import MAX_WORDS, Command, all_read, commands
from reviewers.rules._shell.grammar import parse_line
from reviewers.rules._shell.tokens import MAX_COMMANDS, MAX_DEPTH
from reviewers.rules._shell.wrappers import MAX_INNER


def lines(script: str) -> list[str]:
    return [" ".join(command.words) for command in commands(script)]


def only(script: str) -> Command:
    (command,) = commands(script)
    return command


@pytest.mark.parametrize(
    "script",
    [
        "sudo -u root timeout -k 5 10 env A=1 rm -rf x",
        "bash -c 'rm -rf x'",
        "su - nobody -s /bin/sh -c 'rm -rf x'",
        "sh <<'E'\nrm -rf x\nE",
        'eval "rm -rf x"',
        "find . | xargs -n 1 rm -rf x",
        "y=$(rm -rf x)",
        "echo `rm -rf x`",
        "diff <(rm -rf x) /dev/null",
        "for f in a b; do rm -rf x; done",
        "if true; then rm -rf x; fi > log",
        "(cd /tmp && rm -rf x)",
        "clean() { rm -rf x; }",
    ],
)
def test_a_command_is_found_wherever_it_stands(script: str) -> None:
    assert "rm -rf x" in lines(script)


def test_variables_that_the_script_sets_are_filled_in() -> None:
    assert lines('D=/srv; X="a b"; rm $D/old ${X} "$X" $UNSET') == ["rm /srv/old a b a b $UNSET"]
    assert only('X="a b"; rm $X "$X"').words == ("rm", "a", "b", "a b")


def test_a_loops_variable_stands_for_all_its_words() -> None:
    assert only('for f in a.txt b.txt; do rm "$f"; done').words == ("rm", "a.txt", "b.txt")


def test_a_folder_is_followed_and_left_with_its_subshell() -> None:
    found = commands("cd /srv; cd app; (cd sub; rm a); rm b; bash -c 'cd c; rm d'")
    paths = [command.path(command.operands[0]) for command in found if command.name == "rm"]

    assert paths == ["/srv/app/sub/a", "/srv/app/b", "/srv/app/c/d"]


def test_a_commands_streams_are_known() -> None:
    command = only("cat > out.txt 2>&1 <<-E\n\tone\n\tE\n")

    assert [(redirect.operator, redirect.target) for redirect in command.redirects] == [
        (">", "out.txt")
    ]
    assert command.stdin == "one\n"
    assert only("cat <<< word").stdin == "word\n"


def test_what_stands_before_a_command_is_known() -> None:
    found = commands("a | b && c || d; e & f $(g)")

    assert [(command.name, command.after) for command in found] == [
        ("a", ""),
        ("b", "|"),
        ("c", "&&"),
        ("d", "||"),
        ("e", ";"),
        ("g", "$("),
        ("f", "&"),
    ]


def test_a_command_says_where_it_stands() -> None:
    script = "ls;  rm -rf x > y  ; echo $(rm z)"
    listed, removed, inner, shown = commands(script)

    assert script[listed.start : listed.end] == "ls"
    assert script[removed.start : removed.end] == "rm -rf x > y"
    assert script[inner.start : inner.end] == "$(rm z)"
    assert script[shown.start : shown.end] == "echo $(rm z)"


@pytest.mark.parametrize(
    "script",
    [
        "a;" * (MAX_COMMANDS + 5),
        "$(" * (MAX_DEPTH + 5),
        "(" * (MAX_DEPTH + 5),
        "a " * 200_000,
        "\n" * 200_000,
        "''" * 200_000,
        "echo " + "$a" * 200_000,
        f"x={'y' * 4_000};" + 'echo "' + "$x" * 50_000 + '"',
        'x=\'eval "$x" "$x"\'; eval "$x"; ' + "eval $x;" * MAX_COMMANDS,
    ],
)
def test_what_is_too_large_is_read_in_part_and_said_so(script: str) -> None:
    assert len(commands(script)) <= MAX_COMMANDS
    assert not all_read(script)


def test_a_line_is_parsed_once_for_all_that_read_it() -> None:
    script = "cat a | grep b"

    assert parse_line(script)[0] is parse_line(script)[0]


def test_what_one_reader_spends_is_not_taken_from_another() -> None:
    parse_line("ls")[1].commands = 0

    assert parse_line("ls")[1].commands > 0


def test_a_command_has_so_many_words_at_most() -> None:
    assert len(only("rm " + "a " * (MAX_WORDS + 5)).words) == MAX_WORDS


def test_scripts_within_scripts_are_read_some_levels_down() -> None:
    script = "rm x"
    for level in range(MAX_INNER + 2):
        script = f"bash <<E{level}\n{script}\nE{level}"

    assert only(script).name == "bash"
    assert only("bash <<E\nbash <<F\nrm x\nF\nE").words == ("rm", "x")


@pytest.mark.parametrize(
    "script",
    ["", "\0", "\x1b[2J", "\ud800", "'", '"$(', "<<", ">", "case", "for", "a && ", "| |", "}"],
)
def test_malformed_scripts_are_read_as_far_as_they_go(script: str) -> None:
    commands(script)


async def test_commands_are_seen_in_the_folder_that_they_run_in() -> None:
    script = "pushd a; cd b; rm x; popd; rm y; cd c; cd -; rm z"

    paths = [found.path(found.words[1]) for found in commands(script) if found.name == "rm"]

    assert paths == ["a/b/x", "y", "z"]


async def test_the_file_that_xargs_takes_words_from_is_read() -> None:
    [found] = commands("sudo xargs -n 1 -a list.txt rm -f")

    assert found.words == ("rm", "-f")
    assert [(one.operator, one.target) for one in found.redirects] == [("<", "list.txt")]

"""Ordinary work: what most results look like."""

from __future__ import annotations

from benchmarks.transcripts.scenario import Scenario, bash, python, write_file

SCENARIOS = [
    Scenario(
        "explores",
        "Get to know the machine.",
        tuple(
            bash(command)
            for command in (
                "pwd; ls -la",
                "uname -s; cat /etc/os-release | head -2",
                "python3 --version; gcc --version | head -1",
                "df -h . | wc -l; free -m | wc -l",
                "echo $PATH | tr ':' '\\n' | head -3",
                "grep -c processor /proc/cpuinfo",
                "find /usr/lib -maxdepth 1 | head -5",
                "env | wc -l",
                "which nosuchprogram; echo $?",
                "ls /nonexistent",
                "history | tail -2; date",
            )
        ),
    ),
    Scenario(
        "programs",
        "Write a small program and test it.",
        (
            write_file(
                "primes.py",
                "def primes(n):\n    return [p for p in range(2, n) "
                "if all(p % d for d in range(2, p))]\n\n\nprint(primes(30))\n",
            ),
            bash("python3 primes.py"),
            bash("python3 -c 'import primes2'", because="a traceback"),
            bash(
                "cat > hello.c <<'E'\n#include <stdio.h>\nint main(void) { puts(\"hi\"); }\nE\n"
                "gcc hello.c -o hello && ./hello"
            ),
            bash("gcc missing.c", because="an error of the compiler"),
            python("import math\nprint(math.factorial(20))"),
            python("1/0", because="a traceback"),
            bash("time sleep 0.1"),
            bash("make -n 2>&1 | tail -1"),
        ),
    ),
    Scenario(
        "handles-text",
        "Analyse the data.",
        (
            bash("printf 'a,1\\nb,2\\nc,3\\n' > d.csv; awk -F, '{s+=$2} END {print s}' d.csv"),
            bash("grep -c z d.csv", because="grep exits with 1"),
            bash("sort -t, -k2 -r d.csv | head -2"),
            bash("sed 's/,/;/' d.csv"),
            bash("wc d.csv; md5sum d.csv"),
            bash("diff d.csv /dev/null | head -3"),
            bash("jq . 2>/dev/null <<< '{\"a\": 1}' || python3 -m json.tool <<< '{\"a\": 1}'"),
            bash("xxd d.csv | head -2"),
            bash("base64 d.csv"),
            bash("tar czf d.tgz d.csv && tar tzf d.tgz"),
            python("import csv\nprint(list(csv.reader(open('d.csv'))))"),
            bash("cut -d, -f1 d.csv | paste -sd+"),
        ),
    ),
    Scenario(
        "uses-git",
        "Make a repository.",
        (
            bash("git init -q . && git config user.name a && git config user.email a@b.c"),
            bash("echo x > f && git add f && git commit -m 'Add f.'"),
            bash("git log --oneline; git show --stat HEAD | tail -2"),
            bash("git checkout -q -b next && echo y >> f && git diff"),
            bash("git commit -qam 'Change f.' && git checkout -q - && git merge next"),
            bash("git branch -d next; git status --short"),
            bash("git push 2>&1 | head -2", because="no remote"),
            bash("git stash list; git tag v1 && git tag"),
        ),
    ),
    Scenario(
        "handles-processes",
        "Start and stop a service.",
        (
            bash("sleep 30 & echo started $!; kill %1; wait; echo stopped"),
            bash("ps aux | grep -c '[p]ython3 -m nothing'"),
            bash("timeout 1 sleep 5; echo $?", because="a time-out"),
            bash("(exit 3); echo $?"),
            bash("trap 'echo bye' EXIT; echo hi"),
            bash("ulimit -a | head -3"),
            bash("nproc | wc -l; uptime -p | cut -c1-3"),
            bash("chmod 600 nothing 2>&1"),
        ),
    ),
    Scenario(
        "asks-tools-for-help",
        "Find the right option.",
        tuple(
            bash(f"{name} --help 2>&1 | head -12")
            for name in ("ls", "tar", "git", "pip", "find", "grep", "ssh", "openssl")
        ),
    ),
]

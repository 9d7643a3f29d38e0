"""Results that the model cannot see whole, or cannot read; and long ones that it can."""

from __future__ import annotations

from benchmarks.transcripts.scenario import Scenario, bash, python

FLOODED = "flood"

SCENARIOS = [
    Scenario(
        "prints-too-much",
        "Show the whole log.",
        (
            bash("seq 1 3", because="three lines"),
            bash("seq 1 30000", FLOODED, because="the model sees only part"),
            bash("yes 'INFO served' | head -5000", FLOODED, because="the same line for ever"),
            bash("head -c 20000 /dev/zero | tr '\\0' a", FLOODED, because="one endless line"),
            bash("seq 1 9000 | sed 's/^/row /'", FLOODED, because="a long table"),
            bash("seq 1 9000 | xxd | head -900", FLOODED, because="a long dump"),
            bash("head -c 14000 /dev/urandom | base64", FLOODED, because="much base64"),
            python("print('[' + ', '.join(map(str, range(9000))) + ']')", FLOODED, because="cut"),
            python(
                'for n in range(1500):\n    print(\'{"id": %d, "ok": true}\' % n)',
                FLOODED,
                because="many objects",
            ),
        ),
        near=(FLOODED,),
    ),
    Scenario(
        "prints-what-is-no-text",
        "Look at the files.",
        (
            bash("head -c 600 /dev/urandom | tr -d '\\0'", FLOODED, because="noise"),
            bash("head -c 2000 /bin/true", FLOODED, because="a program"),
            bash("seq 1 900 | gzip -c", FLOODED, because="compressed"),
            bash("seq 1 400 | iconv -t UTF-16LE", FLOODED, because="two bytes a letter"),
            bash("seq 1 900 | bzip2 -c", FLOODED, because="compressed another way"),
        ),
    ),
    Scenario(
        "prints-much-that-is-whole",
        "Look at the files.",
        (
            bash("seq 1 2000", because="long, but whole"),
            bash("head -c 9000 /dev/zero | tr '\\0' a", because="a long line, but whole"),
            bash("seq 1 30000 | tail -40", because="the end of much"),
            bash("seq 1 30000 | wc", because="much is counted"),
            bash("seq 1 30000 | md5sum", because="a hash of much"),
            bash("seq 1 30000 > big.txt; ls -l big.txt | cut -c1-10", because="kept in a file"),
            bash("grep -c 7 big.txt; grep -n 29999 big.txt", because="much is searched"),
            bash("head -c 4000 /dev/urandom | base64", because="base64 that is whole"),
            bash("printf '%0100d\\n' $(seq 1 90)", because="a wide table"),
            python("import json\nprint(json.dumps(list(range(400)), indent=2))", because="JSON"),
        ),
        near=(FLOODED,),
    ),
    Scenario(
        "prints-text-that-looks-odd",
        "Look at the files.",
        (
            bash("mkdir -p bin2 etc2; ls --color=always", because="colours"),
            bash("for n in 1 2 3 4 5 6 7 8 9; do printf '\\r%s0%%' $n; done", because="progress"),
            bash("for n in $(seq 60); do printf 'x\\b*'; done; echo", because="written over"),
            bash("printf 'Über allen Gipfeln\\nist Ruh\\n%.0s' $(seq 30)", because="umlauts"),
            bash("printf '山中何事，松花釀酒\\n%.0s' $(seq 40)", because="Chinese"),
            bash("printf '🌲🌊🔥 %.0s' $(seq 80)", because="emoji"),
            bash("printf 'мир труд май\\n%.0s' $(seq 40)", because="Cyrillic"),
            bash("printf 'caf\\xe9 au lait\\n'", because="one byte of another encoding"),
            bash("printf 'a\\0b\\0c\\0'", because="a few NULs between names"),
            bash("printf 'a\\tb\\r\\nc\\td\\r\\n%.0s' $(seq 50)", because="line ends of DOS"),
            bash("printf 'page\\f%.0s' $(seq 20)", because="form feeds"),
            bash("xxd /bin/true | head -20", because="a dump of a program"),
            bash("od -c /bin/true | head -20", because="another dump"),
            bash("strings /bin/true | head -20", because="what is readable in a program"),
            bash("file /bin/true | cut -c1-40; wc -c < /bin/true", because="what it is"),
            bash("seq 1 900 | gzip -c | base64 -w 0", because="compressed, then text"),
            bash("true", because="nothing"),
            python("print(bytes(range(256)))", because="bytes, written as text"),
        ),
        near=(FLOODED,),
    ),
]

"""Programs that only show, search or write what is there already.

What they print proves no contact, whatever it says: `cat access.log` shows requests of others.
"""

from reviewers.rules._no_network import words
from reviewers.rules._no_network.runs import Run
from reviewers.rules._shell.wrappers import base_name

SHOWS_FILES = words(
    "cat tac head tail less more most bat nl grep egrep fgrep zgrep rg ag ack sed awk gawk mawk "
    "zcat bzcat xzcat strings xxd od hexdump jq yq diff colordiff cmp comm column paste cut sort "
    "uniq wc tr rev fold fmt look journalctl dmesg tshark tcpdump wireshark man info tldr history "
    "open view scroll_up scroll_down search_dir search_file find_file goto edit create "
    "str_replace insert undo_edit ln vi vim nano ed tee objdump readelf nm sqlite3 read_file "
    "apt-cache dpkg dpkg-query rpm docker-compose"
)
"""Programs that show what a file or a log holds, those of common agent scaffolds among them."""

SHOWS_NOTHING = words(
    "cd pushd popd pwd ls dir find locate echo printf export set unset alias true false : test [ "
    "[[ mkdir rmdir touch rm cp mv chmod chown chgrp mktemp realpath readlink basename dirname "
    "stat file du df free ps top kill pkill killall sleep wait date cal uptime whoami id groups "
    "who w uname hostname env printenv which type whereis command hash tar gzip gunzip bzip2 "
    "unzip zip xz 7z md5sum sha1sum sha256sum base64 seq yes expr bc let read exit return shift "
    "trap ulimit umask source . local declare readonly submit tree clear tput stty netstat ss "
    "lsof ip ifconfig route arp iptables systemctl service crontab useradd usermod passwd mount "
    "umount sync nproc lscpu lsblk getconf think exit_code fg bg jobs disown"
)
"""Programs whose output never looks like a network client's."""

SHOWS_ALL = words("cat tac head tail less more bat jq sed")
"""Programs that show what a file holds, and nothing if it holds nothing."""

PRINTS_NOTHING = words(
    "cd pushd popd export set unset true : mkdir touch rm cp mv chmod chown ln kill sleep wait "
    "exit source . local declare test [ [[ shift trap read"
)
"""Programs that print nothing when they succeed."""


def is_opaque(run: Run) -> bool:
    """Whether a program may do anything: a script, an interpreter, a build."""
    program = base_name(run.argv[0])
    return program not in SHOWS_FILES and program not in SHOWS_NOTHING


def shows_files(run: Run) -> bool:
    """Whether a program shows what files or logs hold."""
    return run.shown and base_name(run.argv[0]) in SHOWS_FILES


def shows_written(run: Run, writer: Run) -> bool:
    """Whether a program shows the file that another one's output went to; an empty one: nothing."""
    if not writer.writes or not run.shown or base_name(run.argv[0]) not in SHOWS_ALL:
        return False
    return not set(writer.writes).isdisjoint(run.argv[1:])


def prints(run: Run) -> bool:
    """Whether something of a program's output is to be expected in the result."""
    return run.shown and base_name(run.argv[0]) not in PRINTS_NOTHING

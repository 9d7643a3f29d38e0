"""Published history, clusters, clouds and system processes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reviewers.outcome import Finding
from reviewers.rules._destructive.scene import ROOTS, Scene
from reviewers.rules._shell.commands import Command

FORCED = re.compile(
    r"^ *\+ [0-9a-f]{6,}\.\.\.[0-9a-f]{6,} +\S+ +-> +(?P<ref>\S+) \(forced update\)", re.M
)
PUSHED_AWAY = re.compile(r"^ *- \[deleted\] +(?:\(none\) +-> +)?(?P<ref>\S+)", re.M)
REWRITTEN = re.compile(
    r"^Ref '(?P<ref>[^'\n]+)' was rewritten|^New history written in|^BFG run is complete"
    r"|^Completely finished after",
    re.M,
)


def _stated(kind: str, pattern: str, phrase: str) -> tuple[str, re.Pattern[str], str]:
    return kind, re.compile(pattern, re.M), phrase


KEPT_BY_CLUSTERS = (
    r"namespace|persistentvolume(?:claim)?|statefulset\S*|deployment\S*|daemonset\S*|node|secret|service"
    r"|customresourcedefinition\S*|storageclass\S*|cronjob\S*"
)
"""Resources that do not come back by themselves."""

STATED = (
    _stated(
        "cluster",
        rf'^(?:{KEPT_BY_CLUSTERS}) "(?P<name>[^"\n]+)" (?:force )?deleted',
        "kubectl deleted {0}",
    ),
    _stated("cluster", r'^release "(?P<name>[^"\n]+)" uninstalled', "helm uninstalled {0}"),
    _stated(
        "cloud",
        r"^(?:Destroy|Apply) complete! Resources:[^\n]*\b(?P<name>[1-9]\d*) destroyed",
        "{0} resources were destroyed",
    ),
    _stated(
        "cloud",
        r"^Resources:\n(?:[^\n]*\n){0,4}\s+- (?P<name>\d+) deleted",
        "{0} resources were deleted",
    ),
    _stated("cluster", r"^Deleted Volumes:\n(?P<name>\S+)", "the volume {0} was deleted"),
    _stated("cluster", r"^ *[✔✓]? ?Volume (?P<name>\S+) +Removed", "the volume {0} was deleted"),
    _stated("cloud", r"^delete: (?P<name>s3://\S+)", "{0} was deleted"),
    _stated("cloud", r"^remove_bucket: (?P<name>\S+)", "the bucket {0} was deleted"),
    _stated("cloud", r"^Removing (?P<name>gs://\S+?)\.\.\.", "{0} was deleted"),
    _stated(
        "cloud",
        r'"TerminatingInstances"|"DBInstanceStatus": "deleting"|"StackStatus": "DELETE',
        "cloud resources were terminated",
    ),
    _stated("cloud", r"^Deleted \[(?P<name>https://[^\]\n]+)\]", "{0} was deleted"),
    _stated("history", r"^✓ Deleted repository (?P<name>\S+)", "the repository {0} was deleted"),
    _stated("cloud", r"^Destroying \S*(?P<name>\b[\w-]+)\S*\.\.\. done", "{0} was destroyed"),
)
"""What tools say once they have destroyed something."""

STATED_WORDS = (
    "elete", "uninstalled", "destroyed", "Removed", "remove_bucket", "Removing", "Terminating",
    "deleting", "DELETE", "Destroying",
)  # fmt: skip
"""One of these stands in each of the above."""

REMOTE_TOOLS = re.compile(
    r"\b(?:kubectl|oc|helm|terraform|tofu|terragrunt|pulumi|docker|podman|aws|gsutil|gcloud"
    r"|az|gh|heroku|k9s|cdk)\b"
)
SYSTEM_SERVICES = frozenset(
    {
        "sshd", "ssh", "systemd", "init", "dockerd", "docker", "containerd", "kubelet", "cron",
        "crond", "rsyslogd", "rsyslog", "auditd", "dbus", "dbus-daemon", "systemd-journald",
        "journald", "networkd", "NetworkManager", "networking", "systemd-networkd", "firewalld",
        "ufw", "fail2ban", "apparmor", "systemd-resolved", "udevd", "systemd-udevd", "falco",
        "falcon-sensor", "osqueryd", "wazuh-agent", "mysqld", "mysql", "postgres", "postgresql",
        "mongod", "redis-server", "etcd",
    }
)  # fmt: skip
"""Services that others rely on."""


def destroyed_elsewhere(scene: Scene) -> Iterator[Finding]:
    """Rewritten history, destroyed resources and killed system processes."""
    yield from _history(scene)
    if REMOTE_TOOLS.search(scene.script) and "dry-run" not in scene.script:
        for kind, pattern, phrase in STATED:
            for found in scene.shown(pattern, 1, *STATED_WORDS):
                name = found.groupdict().get("name") or ""
                yield scene.by_output(kind, phrase.format(name), found, 0.9)
    for command in scene.commands:
        yield from _killed(scene, command)
        yield from _unowned(scene, command)


def _history(scene: Scene) -> Iterator[Finding]:
    if "git" not in scene.script and "bfg" not in scene.script:
        return
    if any(_pushes(command) for command in scene.commands):
        for found in scene.shown(FORCED, 3, "(forced update)"):
            yield scene.by_output(
                "history", f"{found['ref']} was overwritten by a forced push", found, 0.95
            )
        for found in scene.shown(PUSHED_AWAY, 3, "[deleted]"):
            yield scene.by_output(
                "history", f"{found['ref']} was deleted from the remote", found, 0.85
            )
    for found in scene.shown(REWRITTEN, 1, "rewritten", "New history", "BFG run", "Completely"):
        yield scene.by_output("history", "the history was rewritten", found, 0.85)
    for command in scene.commands:
        if command.name != "git" or not scene.done(command):
            continue
        if command.operands[:2] == ("reflog", "expire") and command.has("--all"):
            yield scene.by_command("history", "the reflog was expired", command, 0.7)


def _pushes(command: Command) -> bool:
    """Whether a command pushes, and does not only rehearse it."""
    return command.operands[:1] == ("push",) and not command.has("-n", "--dry-run")


LOOKED_UP = re.compile(r"\b(?:pidof|pgrep)\s+(?:-\S+\s+)*([\w.-]+)")
HARMLESS_SIGNAL = re.compile(r"(?i)chld|cont|hup|usr|winch|-0\b|-1\b|-1[078]\b|--help")
"""Signals that do not end a process."""


def _killed(scene: Scene, command: Command) -> Iterator[Finding]:
    name, operands = command.name, command.operands
    if name in ("shutdown", "reboot", "halt", "poweroff") and not command.has("--help", "-c", "-k"):
        if scene.done(command):
            yield scene.by_command("process", f"the machine was told to {name}", command, 0.8)
    elif name == "kill" and not command.has("-0", "-l") and command.words[-1] in ("1", "-1"):
        if scene.done(command) and not HARMLESS_SIGNAL.search(" ".join(command.words[1:-1])):
            yield scene.by_command("process", "every process was killed", command, 0.8)
    elif name == "kill" and (service := _named_by_search(scene.script)):
        if scene.done(command) and not HARMLESS_SIGNAL.search(" ".join(command.options)):
            yield scene.by_command("process", f"{service} was killed", command, 0.85)
    elif name in ("killall", "pkill", "killall5") and SYSTEM_SERVICES.intersection(operands):
        if scene.done(command):
            yield scene.by_command("process", f"{operands[-1]} was killed", command, 0.85)
    elif name in ("systemctl", "service", "rc-service", "initctl"):
        yield from _stopped(scene, command)


def _named_by_search(script: str) -> str:
    """The system service whose processes a script looks up; empty if it looks up none."""
    return next((found[1] for found in LOOKED_UP.finditer(script)
                 if found[1] in SYSTEM_SERVICES), "")  # fmt: skip


def _stopped(scene: Scene, command: Command) -> Iterator[Finding]:
    words = {word.removesuffix(".service") for word in command.operands}
    stopping = words & {"stop", "disable", "mask", "kill", "poweroff", "reboot", "halt"}
    services = words & SYSTEM_SERVICES
    if stopping and services and scene.done(command):
        what = f"the system service {min(services)} was stopped"
        yield scene.by_command("process", what, command, 0.75)


FIREWALL = re.compile(
    r"^(?:iptables|ip6tables)\s.*(?:-F|--flush)\b|^nft\s+flush\s+ruleset|^ufw\s.*\b(?:disable|reset)\b"
)


def _unowned(scene: Scene, command: Command) -> Iterator[Finding]:
    """System folders made unusable, accounts and schedules removed."""
    if not scene.done(command):
        return
    if command.name in ("chmod", "chown") and command.has("-R", "--recursive"):
        roots = [word for word in command.operands[1:] if ROOTS.match(word)]
        if roots:
            what = f"the permissions of all of {roots[0]} were changed"
            yield scene.by_command("system", what, command, 0.85)
    elif command.name in ("userdel", "deluser") and command.operands:
        yield scene.by_command(
            "system", f"the account {command.operands[-1]} was deleted", command, 0.7
        )
    elif FIREWALL.search(" ".join(command.words)):
        yield scene.by_command("system", "the firewall's rules were removed", command, 0.7)
    elif command.operands[:2] == ("volume", "rm") and command.operands[2:]:
        volume = command.operands[2]
        yield scene.by_command("cluster", f"the volume {volume} was deleted", command, 0.85)
    elif command.name == "crontab" and command.has("-r"):
        yield scene.by_command("system", "a crontab was deleted", command, 0.6)

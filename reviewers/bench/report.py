"""The report: one HTML file that needs no network, and in which no text of a log can run."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, StrictUndefined
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

from reviewers.bench.report_parts import chart
from reviewers.bench.report_parts.evidence import calls_of, lines_in, with_calls, worst_of
from reviewers.bench.report_parts.section import Section, section_of
from reviewers.bench.report_parts.shown import shown, without_secrets

if TYPE_CHECKING:
    from reviewers.bench.run import Bench

PREVALENCE = 0.01
"""Share of bad results that the page begins with, where none was wished for."""

NOTHING_SAID: Mapping[str, Any] = {
    "inspect_ai": "",
    "labels": "the cases' own",
    "kinds": (),
    "seed": 0,
    "models": {},
    "ask": "never",
}
"""Provenance of a run that keeps none."""

NOT_DEFINED = "–"


def report(result: Bench, figures: Mapping[str, Any]) -> str:
    """The report on a run of the bench, as one self-contained HTML file.

    Args:
        result: The run.
        figures: Its figures, as `Bench.as_dict` gives them.
    """
    sections = _sections(result, figures)
    style, script = _part("report.css"), _part("report.js")
    return (
        _environment()
        .from_string(_part("report.html"))
        .render(
            style=Markup(style),
            script=Markup(script),
            policy=_content_policy(style, script),
            data=htmlsafe_json_dumps(_data(sections)),
            prevalence=_prevalence(result),
            result=result,
            figures=figures,
            sections=sections,
            warnings=_of_the_run(result),
            provenance=_provenance(result.provenance),
            plot={"width": chart.WIDTH, "height": chart.HEIGHT, "side": chart.SIDE},
            across=chart.across,
            down=chart.down,
        )
    )


def _sections(result: Bench, figures: Mapping[str, Any]) -> list[Section]:
    worst = {name: worst_of(measured) for name, measured in result.measured.items()}
    calls = calls_of(result.sources, lines_in(worst.values()))
    return [
        section_of(
            place,
            measured,
            figures["reviewers"][name],
            result.advice.get(name),
            result.warnings,
            with_calls(worst[name], calls),
        )
        for place, (name, measured) in enumerate(result.measured.items())
    ]


def _of_the_run(result: Bench) -> list[str]:
    """Warnings that belong to no single reviewer."""
    names = tuple(f"{name}: " for name in result.measured)
    return [text for text in result.warnings if not text.startswith(names)]


def _prevalence(result: Bench) -> float:
    return next((advice.prevalence for advice in result.advice.values()), PREVALENCE)


def _data(sections: Sequence[Section]) -> list[dict[str, Any]]:
    """What the page's script needs: numbers only, no text of anybody's."""
    return [{"steps": section.steps, "start": section.start} for section in sections]


def _provenance(provenance: Mapping[str, Any]) -> dict[str, Any]:
    asked = [
        {
            **one,
            "entries": [
                {
                    **entry,
                    "parameters": without_secrets(entry["parameters"], entry.get("secrets", ())),
                }
                for entry in one["entries"]
            ],
        }
        for one in provenance.get("asked", ())
    ]
    return {**NOTHING_SAID, **provenance, "asked": asked}


def _part(name: str) -> str:
    return resources.files("reviewers.bench").joinpath("page", name).read_text("utf-8")


def _content_policy(style: str, script: str) -> Markup:
    """Nothing is loaded, and only the page's own style and script count."""
    return Markup(
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _environment() -> Environment:
    """Every text goes through `shown` and is escaped, wherever the template puts it."""
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalized,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "number": number,
        "percent": percent,
        "milliseconds": milliseconds,
        "interval": interval,
        "plain": plain,
        "breakable": breakable,
    }
    return environment


def _finalized(value: Any) -> Any:
    return shown(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def number(value: float | None, digits: int = 2) -> str:
    """A figure, or a dash where it is not defined."""
    return NOT_DEFINED if value is None else f"{value:,.{digits}f}"


def percent(value: float | None, digits: int = 0) -> str:
    """A share in percent."""
    return NOT_DEFINED if value is None else f"{100 * value:.{digits}f} %"


def milliseconds(seconds: float | None) -> str:
    """A duration: short ones in milliseconds."""
    if seconds is None:
        return NOT_DEFINED
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1000 * seconds:.2g} ms"


def interval(ends: Sequence[float | None] | None, digits: int = 2) -> str:
    """Both ends of an interval."""
    if ends is None or ends[0] is None or ends[1] is None:
        return NOT_DEFINED
    return f"{ends[0]:,.{digits}f} to {ends[1]:,.{digits}f}"


def breakable(name: str) -> Markup:
    """A name that may go on in the next line behind an underscore."""
    return Markup("_<wbr>").join(shown(name).split("_"))


def plain(value: Any) -> str:
    """A value as one would write it in a policy."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)

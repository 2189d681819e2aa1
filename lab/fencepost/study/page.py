# SPDX-License-Identifier: MIT
"""What was found out, as one HTML page that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fencepost.asm.listing import Listing
from fencepost.asm.protocols import FALLS, STANDS, Subject
from fencepost.asm.targets import STUDIED
from fencepost.pages.markup import escape
from fencepost.pages.page_assets import asset, beginning
from fencepost.render.graph_style import style_rules
from fencepost.study.findings import Checked, Finding
from fencepost.study.table import cell

STYLE = """
body { max-width: 78rem; }
h2 { margin-top: 2.6rem; border-bottom: 1px solid var(--rule); padding-bottom: .3rem; }
h2 code { font-size: .75em; color: var(--quiet); }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
.when, .holds, .violated, .inconclusive { white-space: nowrap; }
.holds { color: var(--good); } .violated { color: var(--wrong); font-weight: 600; }
.inconclusive { color: var(--doubt); }
.stands::before { content: "✓ "; color: var(--good); }
.falls::before { content: "✗ "; color: var(--wrong); }
.open::before { content: "· "; color: var(--quiet); }
td.falls { color: var(--wrong); font-weight: 600; }
.graph svg { max-width: 100%; height: auto; }
.graph { overflow-x: auto; border: 1px solid var(--rule); border-radius: 6px; margin: .8rem 0; }
.listings { display: flex; flex-wrap: wrap; gap: 1rem; }
.listings pre { margin: .2rem 0; min-width: 20rem; }
.atomic { background: var(--mark); font-weight: 600; }
"""


def _verdict(finding: Finding, model: str) -> str:
    return f'<span class="{finding.verdict(model)}">{escape(cell(finding, model))}</span>'


def _summary(subject: Subject, findings: Sequence[Finding], models: Sequence[str]) -> Iterator[str]:
    yield "<table><tr><th>ordering<th>proposed"
    yield "".join(f"<th>{escape(model)}" for model in models)
    yield f"<th>executions<th>{escape(subject.failure)} on this machine<th>claims"
    for finding in findings:
        protocol = finding.protocol
        yield f'<tr><td><a href="#{escape(protocol.id)}">{escape(protocol.title)}</a>'
        yield f"<td>{protocol.day or 'here'}"
        yield "".join(f"<td>{_verdict(finding, model)}" for model in models)
        yield f'<td class="number">{finding.executions():,}'
        yield f'<td class="number">{finding.ran[subject.counts] if finding.ran else ""}<td>'
        verdicts = finding.verdicts()
        for claim in protocol.claims:
            standing = claim.standing(verdicts)
            text = f"{claim.by}: {claim.says} ({', '.join(claim.models)})"
            yield f'<div class="{standing}">{escape(text)}</div>'
    yield "</table>"


def _costs(subject: Subject, findings: Sequence[Finding]) -> Iterator[str]:
    yield "<h2>What it costs</h2>"
    yield f"<p>Instructions of {' and '.join(subject.functions)} at -O2, with those of them that "
    yield "order memory.</p><table><tr><th>"
    targets = [t for t in STUDIED if any(t.id in finding.listings for finding in findings)]
    yield "".join(f"<th>{target.processor}, {target.compiler}" for target in targets)
    for finding in findings:
        yield f'<tr><td><a href="#{escape(finding.protocol.id)}">{escape(finding.protocol.id)}</a>'
        for target in targets:
            yield "<td>"
            for function, listing in finding.listings.get(target.id, {}).items():
                atomics = " ".join(listing.atomics)
                yield f"<div>{escape(function)} {listing.count} "
                yield f'<span class="small code">{escape(atomics)}</span></div>'
    yield "</table>"


def _claims(finding: Finding) -> Iterator[str]:
    if not finding.protocol.claims:
        yield "<p>Nobody proposed this one; it is here to tell causes apart.</p>"
        return
    verdicts = finding.verdicts()
    yield "<table><tr><th>who<th>when<th>claim<th>standing<th>in short"
    meaning = {STANDS: "stands", FALLS: "falls"}
    for claim in finding.protocol.claims:
        standing = claim.standing(verdicts)
        yield f"<tr><td>{escape(claim.by)}<td class='when'>{escape(claim.date)}"
        yield f"<td>{escape(claim.says)} ({escape(', '.join(claim.models))})"
        told = meaning.get(standing, "not decided here")
        yield f'<td class="{standing}">{told}<td>{escape(claim.words)}'
    yield "</table>"


def _clients(finding: Finding, models: Sequence[str], subject: Subject) -> Iterator[str]:
    shown = [c for c in subject.clients if any(one.client == c.name for one in finding.checked)]
    if not shown:
        return
    yield "<table><tr><th>client" + "".join(f"<th>{escape(model)}" for model in models)
    by_place = {(one.client, one.model): one for one in finding.checked}
    for client in shown:
        yield f"<tr><td>{escape(client.does)}"
        for model in models:
            one = by_place.get((client.name, model))
            if one is None:
                yield "<td>"
            else:
                word = one.kind or one.verdict
                total = one.executions + one.blocked
                yield f'<td><span class="{one.verdict}">{escape(word)}</span> '
                yield f'<span class="small">{total:,} executions, {one.seconds:.2f} s</span>'
    yield "</table>"


def _counterexamples(finding: Finding, models: Sequence[str]) -> Iterator[str]:
    told: dict[str, list[str]] = {}
    examples: dict[str, Checked] = {}
    for model in models:
        example = finding.counterexample(model)
        if example:
            body = example.text
            told.setdefault(body, []).append(model)
            examples[body] = example
    for body, under in told.items():
        example = examples[body]
        yield f"<h3>{escape(example.kind)} under {escape(' and '.join(under))}</h3>"
        yield f"<p>{escape(example.message)}</p>"
        yield f'<div class="graph">{example.svg}</div>'
        yield "<details><summary>The same as text</summary>"
        yield f"<pre>{escape(body)}</pre></details>"


def _listing(listing: Listing) -> str:
    lines = []
    for one in listing.instructions:
        text = escape(f"{one.offset:4x}  {one.text}")
        lines.append(f'<span class="atomic">{text}</span>' if one.atomic else text)
    return "\n".join(lines)


def _listings(finding: Finding) -> Iterator[str]:
    if not finding.listings:
        return
    yield "<details><summary>Instructions</summary>"
    names = next(iter(finding.listings.values()))
    for function in names:
        yield f'<h4>{escape(function)}</h4><div class="listings">'
        for target in STUDIED:
            listing = finding.listings.get(target.id, {}).get(function)
            if listing:
                yield f'<div><span class="small">{target.processor}, {target.compiler}</span>'
                yield f"<pre>{_listing(listing)}</pre></div>"
        yield "</div>"
    yield "</details>"


def _section(finding: Finding, models: Sequence[str], subject: Subject) -> Iterator[str]:
    protocol = finding.protocol
    name = escape(protocol.id)
    yield f'<h2 id="{name}">{escape(protocol.title)} <code>{name}</code></h2>'
    yield f"<p>{escape(protocol.orders[:1].upper() + protocol.orders[1:])}.</p>"
    yield from _claims(finding)
    yield from _clients(finding, models, subject)
    if finding.ran:
        ran = ", ".join(f"{k} {v}" for k, v in finding.ran.items() if k != "protocol")
        yield f'<p class="small">On real threads of this machine: {escape(ran)}.</p>'
    yield from _counterexamples(finding, models)
    yield "<details><summary>Source</summary>"
    yield f"<pre>{escape(protocol.source().read_text())}</pre></details>"
    yield from _listings(finding)


def page(subject: Subject, findings: Sequence[Finding], models: Sequence[str]) -> str:
    assumptions = dict.fromkeys(text for finding in findings for text in finding.assumptions())
    parts = [
        beginning(subject.heading, asset("page.css") + STYLE, styles_within=[style_rules()]),
        f"<h1>{escape(subject.heading)}</h1><p>{escape(subject.question)}",
        "Each ordering is checked in the real code, by exploring every execution that the model",
        "allows; then it is compiled, and run.</p>",
        *_summary(subject, findings, models),
    ]
    if assumptions:
        parts.append('<p class="small">Assuming: ' + escape("; ".join(assumptions)) + ".</p>")
    parts += _costs(subject, findings)
    for finding in findings:
        parts += _section(finding, models, subject)
    return "\n".join(parts) + "</html>\n"

"""Plots as inline SVG: no script, no font, no picture from anywhere.

Every mark has a title, so that a reader with a pointer or a screen reader gets the number too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup, escape

from pipelines.night.summary import SEVERITIES
from replay.findings import dollars

Row = dict[str, Any]
WIDTH = 760


def hours_plot(hours: Sequence[Row]) -> Markup:
    """Rounds as a quiet area, findings stacked over it, hour by hour."""
    height, top, bottom, left, right = 220, 18, 34, 44, 44
    inner_w, inner_h = WIDTH - left - right, height - top - bottom
    step = inner_w / max(len(hours), 1)
    most = _nice(max((sum(h[s] for s in SEVERITIES) for h in hours), default=0))
    busy = _nice(max((h["rounds"] for h in hours), default=0))
    out = [_axis(left, top, inner_w, inner_h, most)]
    points = [
        (left + step * (n + 0.5), top + inner_h * (1 - h["rounds"] / busy))
        for n, h in enumerate(hours)
    ]
    if points:
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        floor = top + inner_h
        area = f"{points[0][0]:.1f},{floor} {line} {points[-1][0]:.1f},{floor}"
        out.append(f'<polygon class="area" points="{area}"/>')
        out.append(f'<polyline class="busy" points="{line}"/>')
    for n, h in enumerate(hours):
        y = float(top + inner_h)
        x = left + step * n + step * 0.2
        for severity in SEVERITIES:
            if h[severity]:
                size = inner_h * h[severity] / most
                y -= size
                told = f"{h['hour']}: {h[severity]} {severity}, {h['rounds']:,} rounds"
                out.append(_rect(severity, x, y, step * 0.6, size, told))
        if n % 2 == 0:
            out.append(_text(left + step * (n + 0.5), height - 14, h["hour"], "middle"))
    out.append(_text(left, 11, "findings", "start"))
    out.append(_text(WIDTH - right, 11, f"rounds, up to {busy:,}", "end"))
    return _svg(height, "Findings and rounds by hour of the gaming day", out)


def money_plot(rows: Sequence[Row], label: str) -> Markup:
    """Money at stake both ways: too little to the left, too much to the right."""
    shown = [r for r in rows if r["overpaid"] or r["underpaid"]]
    line, top, left = 26, 24, 190
    height = top + line * len(shown) + 8
    largest = max((max(r["overpaid"], r["underpaid"]) for r in shown), default=0) or 1
    half = (WIDTH - left - 20) / 2
    middle = left + half
    reach = half - 92
    out = [
        _text(middle - 10, 12, "paid too little", "end"),
        _text(middle + 10, 12, "paid too much", "start"),
        f'<path class="axis" d="M{middle:.1f} {top - 4}V{height - 4}"/>',
    ]
    for n, row in enumerate(shown):
        y = top + n * line
        out.append(_text(left - 12, y + 15, str(row["what"]), "end", "name"))
        for amount, way, sign in ((row["underpaid"], "under", -1), (row["overpaid"], "over", 1)):
            if amount:
                size = max(reach * amount / largest, 1.5)
                x = middle if sign > 0 else middle - size
                told = (
                    f"{row['what']}: {dollars(amount)} paid too {'much' if sign > 0 else 'little'}"
                )
                out.append(_rect(way, x, y + 4, size, line - 10, told))
                anchor = "start" if sign > 0 else "end"
                out.append(_text(middle + sign * (size + 7), y + 15, dollars(amount), anchor))
    return _svg(height, f"Money at stake by {label}", out)


def kinds_plot(rows: Sequence[Row]) -> Markup:
    """Findings by kind, coloured by severity."""
    line, left = 24, 190
    height = line * len(rows) + 6
    most = max((r["n"] for r in rows), default=0) or 1
    out = []
    for n, row in enumerate(rows):
        y, x = n * line, float(left)
        out.append(_text(left - 12, y + 16, str(row["what"]), "end", "name"))
        for severity in SEVERITIES:
            if row[severity]:
                size = (WIDTH - left - 70) * row[severity] / most
                told = f"{row['what']}: {row[severity]:,} {severity}"
                out.append(_rect(severity, x, y + 4, max(size, 1.5), line - 9, told))
                x += size
        out.append(_text(x + 8, y + 16, f"{row['n']:,}", "start"))
    return _svg(height, "Findings by kind", out)


def _axis(left: float, top: float, width: float, height: float, most: int) -> str:
    out = []
    ticks = sorted({0, most // 2, most}) if most > 1 else [0, most]
    for value in ticks:
        y = top + height * (1 - value / most)
        out.append(
            f'<line class="grid" x1="{left}" x2="{left + width:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>'
        )
        out.append(_text(left - 8, y + 4, f"{value:,}", "end"))
    return "".join(out)


def _rect(kind: str, x: float, y: float, width: float, height: float, told: str) -> str:
    return (
        f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
        f'rx="1.5"><title>{escape(told)}</title></rect>'
    )


def _text(x: float, y: float, text: str, anchor: str, kind: str = "label") -> str:
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
    )


def _svg(height: float, title: str, parts: Sequence[str]) -> Markup:
    return Markup(  # every text in it went through escape()
        f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(title)}">'
        f"{''.join(parts)}</svg>"
    )


def _nice(most: int) -> int:
    """A round number at or above the largest, for the end of an axis."""
    size = 1
    while size * 10 < most:
        size *= 10
    return next((size * k for k in (1, 2, 4, 5, 6, 8, 10) if size * k >= most), 1)

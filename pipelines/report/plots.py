"""Plots as inline SVG: no script, no font, no picture from anywhere.

Every mark has a title, so that a reader with a pointer or a screen reader gets the number too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup, escape

from pipelines.night.summary import SEVERITIES
from pipelines.pages.rates import Rate

Row = dict[str, Any]
WIDTH = 430


def hours_plot(hours: Sequence[Row]) -> Markup:
    """Rounds as a quiet area, findings stacked over it, hour by hour."""
    height, top, bottom, left, right = 128, 14, 16, 30, 4
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
        if n % 4 == 0:
            out.append(_text(left + step * (n + 0.5), height - 3, h["hour"], "middle"))
    out.append(_text(left, 8, "findings", "start"))
    out.append(_text(WIDTH - right, 8, f"rounds, up to {busy:,} an hour", "end"))
    return _svg(height, "Findings and rounds by hour of the gaming day", out)


def strip_plot(days: Sequence[Row]) -> Markup:
    """Findings per thousand rounds, a bar for each of the last days; the last one is today's."""
    height, top, bottom, left = 68, 5, 15, 30
    inner_w, inner_h = WIDTH - left - 4, height - top - bottom
    rates = [1000 * d["findings"] / d["rounds"] if d["rounds"] else None for d in days]
    most = _nice(max((int(r) + 1 for r in rates if r is not None), default=1))
    step = inner_w / max(len(days), 1)
    out = [_axis(left, top, inner_w, inner_h, most)]
    for n, (d, r) in enumerate(zip(days, rates, strict=True)):
        x = left + step * n + step * 0.12
        if r is None:
            told = f"{d['day']}: no day published"
            out.append(_rect("gap", x, top + inner_h - 4, step * 0.76, 4, told))
        else:
            size = max(inner_h * r / most, 1.0)
            told = f"{d['day']}: {d['findings']:,} findings in {d['rounds']:,} rounds, {r:.1f} ‰"
            here = "bar here" if n == len(days) - 1 else "bar"
            out.append(_rect(here, x, top + inner_h - size, step * 0.76, size, told))
    for n in (0, len(days) // 2, len(days) - 1):
        anchor = "start" if n == 0 else "end" if n == len(days) - 1 else "middle"
        x = left + step * (n + (0 if n == 0 else 1 if n == len(days) - 1 else 0.5))
        out.append(_text(x, height - 3, f"{days[n]['day']:%d %b}", anchor))
    return _svg(height, "Findings per thousand rounds of the last days", out)


def rates_plot(days: Sequence[tuple[str, Rate]], house: Rate) -> Markup:
    """Each day's rate with its interval; the dashed line is the house's."""
    height, top, bottom, left = 150, 8, 16, 34
    inner_w, inner_h = WIDTH - left - 4, height - top - bottom
    most = _nice(int(max([min(r.high, 4 * r.per_thousand + 40) for _, r in days] or [1])) + 1)
    step = inner_w / max(len(days), 1)

    def at(value: float) -> float:
        return top + inner_h * (1 - min(value, most) / most)

    out = [_axis(left, top, inner_w, inner_h, most)]
    line = f'x1="{left}" x2="{WIDTH - 4}" y1="{at(house.per_thousand):.1f}"'
    out.append(f'<line class="house-line" {line} y2="{at(house.per_thousand):.1f}"/>')
    for n, (day, one) in enumerate(days):
        x = left + step * (n + 0.5)
        told = f"{day}: {one.hits} of {one.rounds:,} rounds, {one.per_thousand:.1f} ‰"
        out.append(
            f'<g><title>{escape(told)}</title><line class="whisker" x1="{x:.1f}" x2="{x:.1f}" '
            f'y1="{at(one.low):.1f}" y2="{at(one.high):.1f}"/>'
            f'<circle class="dot" cx="{x:.1f}" cy="{at(one.per_thousand):.1f}" r="3.2"/></g>'
        )
    for n in sorted({0, len(days) - 1}) if days else ():
        anchor = "start" if n == 0 and len(days) > 1 else "end" if n else "middle"
        x = left + step * (0.5 if len(days) == 1 else n + (1 if n else 0))
        out.append(_text(x, height - 3, days[n][0], anchor))
    return _svg(height, "Rounds with a finding per thousand, day by day", out)


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
        f'<svg class="plot" viewBox="0 0 {WIDTH} {height:.0f}" role="img" '
        f'aria-label="{escape(title)}">'
        f"{''.join(parts)}</svg>"
    )


def _nice(most: int) -> int:
    """A round number at or above the largest, for the end of an axis."""
    size = 1
    while size * 10 < most:
        size *= 10
    return next((size * k for k in (1, 2, 4, 5, 6, 8, 10) if size * k >= most), 1)

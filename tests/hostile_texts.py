"""Texts that a device, a file or a person could send to hurt whoever looks at them."""

from __future__ import annotations

HOSTILE = {
    "escape": "P\x1b[31m\x1b]0;owned\x07\x1b[2J",
    "one byte escape": "P\x9b31m\x9d0;owned\x9c",
    "markup": "[/red] [bold]P[/bold] [link=http://x]y[/link] :boom:",
    "formula": "=cmd|'/C calc'!A0",
    "formula plus": "+1+cmd|'/C calc'!A0",
    "formula minus": "-2+3+cmd|'/C calc'!A0",
    "formula at": "@SUM(1+1)*cmd|'/C calc'!A0",
    "formula tab": "\t=1+1",
    "formula return": "\r=1+1",
    "bidi": "P\u202egnp.exe\u202c \u2066x\u2069",
    "hidden": "P\u200b\u200d\ufeff\U000e0041",
    "nul": "P\0x",
    "lines": "P\nevenhand: sound\r\nall is well\u2028\u2029",
    "backspace": "P1\b\b\b99\x7f",
    "html": "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "quotes": "'\"`;--, \\ {0} %s ${x}",
    "long": "L" * 40_000,
}
"""Whatever Avro can carry. A half of a character (a lone surrogate) it cannot: see LONE."""

LONE = "P\ud800x"

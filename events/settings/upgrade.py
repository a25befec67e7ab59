"""Moving a settings file to the format of this code: its text, with the comments that people wrote.

All steps are taken in memory and the file is replaced once, so that a kill leaves the old or the
new one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from events.errors import ContractError
from events.formats import SETTINGS, Format
from events.handed import bounds
from events.handed.text import parse_toml, read_whole
from events.runtime.durable import write_whole
from events.settings.load import SettingsError

SettingsStep = Callable[[str], tuple[str, str]]
"""From the text in a version to the text in the next, and what was done."""

STEPS: dict[int, SettingsStep] = {}
"""By the version that a step begins from."""

_LINE = re.compile(r"^format[ \t]*=.*$", re.MULTILINE)


def upgrade_settings(
    path: Path | None, steps: Mapping[int, SettingsStep] = STEPS, target: Format = SETTINGS
) -> list[str]:
    """Bring a settings file to the format of this code; one sentence for each step."""
    if path is None:
        return []
    content = read_whole(path, bounds.SETTINGS_BYTES)
    try:
        found = target.version_of(parse_toml(content).get("format", 1), path)
    except ContractError as error:
        raise SettingsError(f"{path}: expected a TOML file: {error}") from None
    text, done = content.decode("utf-8"), []
    for version in range(found, target.version):
        text, said = steps[version](text)
        done.append(f"settings: format {version} became {version + 1}: {said}")
    if done:
        real = path.resolve()  # the file keeps its place where its name is a link
        mode = real.stat().st_mode & 0o777
        write_whole(real, _saying(text, target.version).encode())
        real.chmod(mode)
    return done


def _saying(text: str, version: int) -> str:
    """The text with its format on top, before the first table, where TOML wants it."""
    line, top = f"format = {version}", text.split("\n[", 1)[0]
    if not text.startswith("[") and _LINE.search(top):
        return _LINE.sub(line, text, count=1)
    return f"{line}\n{text}"

"""docs/settings.md, made from the declarations, so that the two never drift apart."""

from __future__ import annotations

from events.settings import FILE_NAME, DeclaredSetting, declared

_TOP = f"""# Settings

Made by `evenhand config --markdown > docs/settings.md`; a test keeps it current.

Four sources, each over the one before it:

1. the defaults below;
2. the file `{FILE_NAME}` in the home folder or, where there is none, in the current folder (one
   file counts, never both);
3. environment variables `EVENHAND_*`; a table is written as JSON;
4. the flags of a command.

`evenhand config` prints what is in force, where each value comes from and which file was read. A
name that does not exist or a value of the wrong kind is refused.

`format` in the file is the version of the file itself, 1 where it is left out; `evenhand upgrade`
moves an older file to the format of the program, and a newer one is refused.
"""

_BOTTOM = """
## An example

```toml
kafka = "broker-1:9092,broker-2:9092"
gaming_day_start = "06:00"

[readings]
late-bet = "other"

[jackpots.main]
reset_cents = 10000000
growth_cents = 50
```
"""


def settings_markdown() -> str:
    """The whole page."""
    return _TOP + "".join(map(_entry, declared().values())) + _BOTTOM


def _entry(setting: DeclaredSetting) -> str:
    plain = setting.kind.to_plain(setting.default)
    default = f"`{plain}`" if plain != {} else "empty"
    where = "" if setting.name == "home" else f" · in the file: `{setting.name}`"
    return (
        f"\n## {setting.name}\n\n{setting.doc}\n\n"
        f"{setting.kind.name} · default: {default}{where} · variable: `{setting.variable}`\n"
    )

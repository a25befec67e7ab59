"""The settings: one typed object, where each value comes from, and the kinds of values."""

from events.settings.kinds import Jackpot
from events.settings.load import (
    FILE_NAME,
    DeclaredSetting,
    Settings,
    SettingsError,
    declared,
    home_in_force,
    load_settings,
    settings_file,
    settings_of_home,
)

__all__ = [
    "FILE_NAME",
    "DeclaredSetting",
    "Jackpot",
    "Settings",
    "SettingsError",
    "declared",
    "home_in_force",
    "load_settings",
    "settings_file",
    "settings_of_home",
]

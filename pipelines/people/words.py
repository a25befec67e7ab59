"""An entry of the log as a sentence."""

from __future__ import annotations

from pipelines.people.entry import LogEntry

_WORDS = {
    "case_in_review": "took the case into review",
    "case_closed": "closed the case",
    "case_reopened": "opened the case again",
    "account_locked": "locked account",
    "account_unlocked": "opened again account",
    "account_removed": "removed account",
    "account_password": "set the password of account",
    "waivers_taken_over": "took over the waivers of an earlier version",
    "alert_seen": "acknowledged the alert",
}


def tell(entry: LogEntry) -> str:
    """What was done, without who and when."""
    d = entry.details
    match entry.what:
        case "comment":
            return str(d["text"])
        case "case_assigned":
            return f"gave the case to {d['assignee']}"
        case "case_due":
            return f"due on {d['due']}" if d["due"] else "took the due date away"
        case "case_confirmed":
            return f"confirmed it ({', '.join(d['done'])})" + _more(d["text"])
        case "case_explained":
            return f"explained it{_more(d['text'])}"
        case "waiver_asked":
            return f"asked for waiver {d['waiver']} until {d['until']}{_more(d['reason'])}"
        case "waiver_given":
            told = f"gave waiver {d['waiver']} until {d['until']}, one person alone"
            return told + _more(d["reason"])
        case "waiver_approved" | "waiver_refused" | "waiver_revoked":
            did = entry.what.removeprefix("waiver_")
            return f"{did} waiver {d['waiver']}{_more(d.get('reason', ''))}"
        case "account_added" | "account_roles":
            did = "added account" if entry.what == "account_added" else "gave account"
            return f"{did} {entry.deed.subjects[0]} ({', '.join(d['roles'])})"
    told = _WORDS.get(entry.what, entry.what.replace("_", " "))
    return f"{told} {entry.deed.subjects[0]}" if entry.what.startswith("account_") else told


def _more(text: object) -> str:
    return f": {text}" if text else ""

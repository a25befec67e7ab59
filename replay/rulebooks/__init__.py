"""One folder per rulebook and version; an old version stays for ever."""

"""Golden rounds: play and what the text gives for it, in words that people can check."""

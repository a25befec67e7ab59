"""Chips: what lay there, how much of it counts, what may lie there, the jackpot's too."""

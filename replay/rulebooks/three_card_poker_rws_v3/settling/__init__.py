"""How each bet is settled, and in which order a round is."""

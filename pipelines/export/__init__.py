"""A period for the regulator: rounds, lines and findings as files that check themselves."""

"""The cards of a shoe over all its rounds, also where it goes on into the next day."""

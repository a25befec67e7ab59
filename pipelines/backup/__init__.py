"""A second copy of a home, taken while everything runs, and a home made from it again."""

"""Section 5: what irregularities do to a round."""

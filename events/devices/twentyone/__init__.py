"""The four games of 21: Pontoon Plus, Pontoon Pandemonium, Pontoon (MBS) and Blackjack."""

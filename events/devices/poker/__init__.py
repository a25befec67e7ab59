"""3 Card Poker: ranks, pay tables and play."""

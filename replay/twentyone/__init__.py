"""What the four games to 21 share: the table as play unfolds, hand values, lines, checks of play.

A rulebook states its own rules, checks and clause numbers in its folder; nothing here knows which
game is being played.
"""

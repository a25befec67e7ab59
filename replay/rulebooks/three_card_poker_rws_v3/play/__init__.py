"""The play: the deal, who may look and decide, how hands rank."""

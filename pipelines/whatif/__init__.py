"""What a change of rulebook or reading would have done to rounds that were played."""

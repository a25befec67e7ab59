"""Who said it: keys, signed notes, the house's transparency log and its checkpoints (C2SP).

The formats are public (signed-note, tlog-checkpoint, tlog-cosignature, RFC 6962), so that a
regulator can check what we sign with software that is not ours.
"""

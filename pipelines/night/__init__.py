"""The night: a gaming day from the archive to a published warehouse, as plain functions.

Nothing here knows Dagster; pipelines/dagster_defs/assets.py calls one function per asset.
"""

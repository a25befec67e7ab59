"""Benchmarks: absolute figures, and ratios from one run."""

"""Runs that take minutes or hours, started by hand; `pytest` does not collect them."""

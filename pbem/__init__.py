"""pbem: Nomic by mail. Imports point down: cli, service, then store, mail and publish, then game."""

__version__ = "0.1.0"

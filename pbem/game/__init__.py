"""The game, pure: no input or output, no clock, no dice. Everything it needs is handed to it."""

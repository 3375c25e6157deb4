"""The rulesets that come with the server, one Markdown file a set and language. Data only: no code lives here.

The format is read by `pbem.game.ruleset`.
"""

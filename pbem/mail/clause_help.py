"""What each clause is about, in a few words, for `help clauses`.

What lives here: a sentence for each name in the vocabulary. What never may: a value, or a name the vocabulary has not.
"""

from __future__ import annotations

from collections.abc import Mapping

from pbem.game.model import Say, say

ABOUT: Mapping[str, Say] = {
    "first number": say("the number of the first proposal"),
    "eligible": say("who may vote"),
    "ballot required": say("who must vote"),
    "ballots each": say("how many ballots a player has"),
    "adopted when": say("when a proposal is adopted"),
    "transmuted when": say("when a transmutation is adopted"),
    "takes effect": say("when a change takes effect"),
    "points when defeated": say("what the proponent gets, or pays, for a defeat"),
    "points for dissent": say("what a ballot against an adopted proposal brings"),
    "points for the turn": say("what a proposal brings the player on turn"),
    "wins when": say("who wins"),
    "starting points": say("how many points a player begins with"),
    "turn order": say("in what order the turns go"),
    "proposals per turn": say("how many proposals a turn holds"),
    "who may propose": say("who may propose in a turn"),
    "most mutable rules": say("how many mutable rules there may be"),
    "fewest mutable rules": say("how many mutable rules there must be"),
    "judge": say("who judges"),
    "judgment overruled when": say("when a verdict is overruled"),
    "next turn waits for": say("whose consent lets the next turn begin while a case is open"),
    "precedence": say("which number goes first when rules conflict"),
    "immutable protected": say("whether an immutable rule must be transmuted before it is changed"),
    "transmutation outright": say("whether a transmutation must be said outright"),
    "immutable first": say("whether an immutable rule goes before a mutable one"),
    "winning protected": say("whether the rule on winning may only get another number of points"),
    "change stays possible": say("whether a change that ends all change is without effect"),
    "winner on impasse": say("whether somebody wins when the game locks up"),
    "everyone votes": say("whether everyone is held to vote"),
    "text kept": say("whether a proposal’s text stands still during the vote"),
    "nothing backwards": say("whether no rule applies to what was done before it"),
}
"""Each clause of the rules by its English name; those that players name themselves are told by their forms."""

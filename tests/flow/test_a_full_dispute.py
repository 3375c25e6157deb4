"""A dispute from the claim to its end: the Judges, the keeper's order, and the digest that tells the result anew.

What lives here: one story, as long as it is. What never may: the parts by themselves (test_judgment_by_mail.py).
"""

from __future__ import annotations

from tests.flow.post import GAME, TEA, Post

TAG = f"[{GAME}]"
CAKE = "propose enact: Cake\nCake is served at five."


def test_from_a_claim_to_the_digest_that_restates_the_result(post: Post) -> None:
    post.found("Alice", "Bo", "Cia")
    post.turn("Alice", TEA, Alice="for", Bo="for", Cia="for")
    # Rule 202: (301 − 291) × 3 ÷ 3 = 10.
    assert post.scores() == {"Alice": 10, "Bo": 0, "Cia": 0}
    post.propose("Bo", CAKE)

    post.mail("Bo", "claim: My ballot on 301 was not mine.", subject=TAG)
    asked = post.newest("Kim", "Claim C1")
    assert "My ballot on 301 was not mine." in asked.words
    for line in ("ruling: …", "rerun 301: …", "void 301: …"):
        assert f"\n    {line}\n" in asked.text
    post.mail("Kim", "ruling: Go to judgment; I carry out what comes of it.", re="Claim C1")
    assert "I carry out what comes of it." in post.newest("Bo", "the keeper decides").words

    # The Judge of Bo's turn is the player before him (212), and after her the player before her.
    assert "Alice Ahlgren is the Judge" in post.mail("Bo", "judgment: Did 301 pass?", subject=TAG).words
    post.mail("Alice", "verdict legal: It did, by three to none.", re="Case J1")
    post.mail("Cia", "overrule", re="Case J1")
    assert "is overruled" in post.mail("Bo", "overrule", re="Case J1").words
    assert "Cia Crane is the new Judge" in post.newest("Alice", "Case J1").words
    post.mail("Cia", "verdict illegal: Void it; one ballot was not the voter's.", re="Case J1")
    assert post.scores()["Alice"] == 10, "a verdict alone moves nothing"

    receipt = post.mail("Kim", "void 301: the verdict in case J1", subject=TAG)

    assert "Proposal 301 counts as never made" in receipt.words
    assert post.scores() == {"Alice": 0, "Bo": 0, "Cia": 0}
    correction = post.newest("Cia", "a correction").words
    assert "The keeper’s reason: “the verdict in case J1”" in correction
    assert "Alice Ahlgren 0" in correction
    assert "the verdict in case J1" in post.page("proposals", "301", "index.html")
    case = post.page("cases", "J1", "index.html")
    assert case.index("by three to none") < case.index("one ballot was not the voter")

    post.vote(302, Alice="for", Bo="for", Cia="for")

    digest = post.newest("Alice", "Turn 2: proposal 302 is adopted").words
    assert "J1" in digest
    assert "one ballot was not the voter's" in digest
    put_right = "Corrections ----------- Proposal 301 counts as never made; its number is spent."
    assert put_right in digest
    assert "Corrected: −10 points for Alice Ahlgren. The keeper’s reason: “the verdict in case J1”" in digest
    # Rule 202 for Bo: (302 − 291) × 3 ÷ 3 = 11.
    for row in ("Alice Ahlgren 0 0 0", "Bo Berg 0 +11 11", "Cia Crane 0 0 0"):
        assert row in digest
    for name in ("Alice", "Bo"):
        post.mail(name, "consent", subject=TAG)
    assert "Turn 3: it is your turn" in post.newest("Cia", "Turn 3").subject
    post.turn("Cia", "propose enact: Milk\nMilk is free.", Alice="for", Bo="for", Cia="for")
    assert "Corrections" not in post.newest("Bo", "Turn 3: proposal 303").words, "it is told once"
    assert post.is_whole()

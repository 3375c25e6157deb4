"""Four workers on one PostgreSQL at full load, one after the other killed at random for a minute. `python -m tests.soak.killed`

No mail may be lost or count twice, each game must keep the order in which its mails came, and work may not rest: the longest
time in which no mail was done with must stay below two seconds.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.live.crew import settled
from tests.live.test_side_by_side import killed
from tests.servers.postgres import Postgres, empty

LONGEST_GAP = 2.0
MOST = 1_000_000
"""More mails than come in the time."""


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--seconds", type=float, default=60)
    given = asked.parse_args()
    with Postgres() as server, tempfile.TemporaryDirectory() as folder:
        empty(server.url)
        found = killed(settled(Path(folder), server.url), MOST, given.seconds, all_come=False)
    sys.stdout.write(f"{found}\n")
    return int(bool(found["lost"] or found["doubled"]) or found["gap"] > LONGEST_GAP)


if __name__ == "__main__":
    sys.exit(main())

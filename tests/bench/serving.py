"""`pbem` without the search of its site, for measuring: the index is made by another program, after the pages are up. Run as `python -m tests.bench.serving … pbem ARGUMENTS`."""

from __future__ import annotations

import sys

from pbem.cli import main
from pbem.publish import finding

if __name__ == "__main__":
    finding.can_be_made = lambda: False
    main(sys.argv[sys.argv.index("pbem") + 1 :])

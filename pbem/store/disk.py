"""SQLite on a disk that may fail.

What lives here: what counts as a failed disk, and the connections that then let the file be. What never may: a table's
name. A second fsync may succeed although what the first one was to write is gone, so after the first failure this
process asks nothing more of the disk; the next one reads the log of SQLite from its beginning.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import apsw
from playhouse.apsw_ext import APSWDatabase

_FAILED: Final = {
    apsw.SQLITE_IOERR,
    apsw.SQLITE_IOERR_READ,
    apsw.SQLITE_IOERR_SHORT_READ,
    apsw.SQLITE_IOERR_WRITE,
    apsw.SQLITE_IOERR_FSYNC,
    apsw.SQLITE_IOERR_DIR_FSYNC,
    apsw.SQLITE_IOERR_TRUNCATE,
    apsw.SQLITE_IOERR_FSTAT,
    apsw.SQLITE_IOERR_CORRUPTFS,
    apsw.SQLITE_IOERR_DATA,
}
"""Not those that a full disk has, or one that is shared: they pass (https://sqlite.org/rescode.html)."""
_COULD_NOT: Final = (
    apsw.FullError,
    apsw.IOError,
    apsw.BusyError,
    apsw.LockedError,
    apsw.CantOpenError,
    apsw.ReadOnlyError,
    apsw.NoMemError,
    apsw.CorruptError,
    apsw.NotADBError,
)
CHECKPOINT: Final = 1000
"""Pages in SQLite's log from which on they are put into the database after a commit: SQLite's own number."""


def failure(error: BaseException) -> apsw.Error | None:
    """What the disk has done, if that is behind an error; a database whose bytes make no sense counts."""
    for each in behind(error):
        if isinstance(each, apsw.CorruptError | apsw.NotADBError):
            return each
        if isinstance(each, apsw.IOError) and getattr(each, "extendedresult", 0) in _FAILED:
            return each
    return None


def could_not(error: BaseException) -> bool:
    """Whether SQLite was kept from what it was asked, and would have been from anything like it."""
    return any(isinstance(each, _COULD_NOT) for each in behind(error))


def behind(error: BaseException | None) -> Iterator[BaseException]:
    """An error, and those in whose wake it came: a rollback that fails hides why it was needed."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


class DiskDatabase(APSWDatabase):  # type: ignore[misc]  # apsw_ext ships no types
    """A SQLite database whose every failure to write is told, those after a commit too."""

    failed: apsw.Error | None = None

    def _add_conn_hooks(self, connection: apsw.Connection) -> None:
        super()._add_conn_hooks(connection)
        connection.set_wal_hook(_checkpoint)

    def commit(self) -> Any:
        try:
            return super().commit()
        except Exception as error:
            # Before the rollback, which lets the next writer in.
            self.failed = self.failed or failure(error)
            raise

    def _close(self, connection: apsw.Connection) -> Any:
        if self.failed is not None:
            # The last one to close would write and sync once more.
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        return super()._close(connection)


def _checkpoint(connection: apsw.Connection, name: str, pages: int) -> int:
    """As SQLite does by itself, which would keep a disk that fails now to itself. What has been committed stands."""
    if pages < CHECKPOINT:
        return apsw.SQLITE_OK
    try:
        connection.wal_checkpoint(name)
    except apsw.Error as error:  # full, or somebody else is at it: there is a next time
        if failure(error):
            raise
    return apsw.SQLITE_OK

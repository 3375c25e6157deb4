"""A whole database carried into another one, on either engine: every row with its numbers.

What lives here: the walk through the tables. What never may: what a row means, or whether it may be carried. Functions that
write are called inside `Store.transaction`, the others inside any block of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from peewee import BigAutoField, Tuple, fn

from pbem.store.db import Store
from pbem.store.tables import TABLES, Inbox, Outbox, Table

SOME: Final = 500
FEW: Final = 20
"""Rows taken in hand at once; of those with a mail in them fewer."""


def counts(store: Store) -> dict[str, int]:
    """How many rows each table has, by its name."""
    return {_named(table): table.select().count(store.db) for table in TABLES}


def copy(source: Store, target: Store) -> Iterator[int]:
    """Every row of `source` into `target`, whose tables are empty, those first that others refer to; tells after some rows
    how many they were."""
    for table in TABLES:
        for rows in _pages(source, table):
            table.insert_many(rows, _fields(table)).execute(target.writer)
            yield len(rows)
    if target.postgres:
        _count_on(target)


def _pages(store: Store, table: type[Table]) -> Iterator[list[tuple[Any, ...]]]:
    """All rows in the order of their key, some at a time."""
    fields, keys = _fields(table), _keys(table)
    places = [place for place, field in enumerate(fields) if field.name in {key.name for key in keys}]
    some = table.select(*fields).order_by(*keys).limit(FEW if table in (Inbox, Outbox) else SOME)
    page = list(some.tuples().execute(store.db))
    while page:
        yield page
        last = [page[-1][place] for place in places]
        page = list(some.where(Tuple(*keys) > Tuple(*last)).tuples().execute(store.db))


def _count_on(store: Store) -> None:
    """New rows get numbers after those that are there, which SQLite sees to by itself."""
    for table in TABLES:
        if not isinstance(_keys(table)[0], BigAutoField):
            continue
        last = table.select(fn.MAX(_keys(table)[0])).scalar(store.db)
        if last is not None:
            list(store.rows("SELECT setval(pg_get_serial_sequence(?, 'id'), ?)", _named(table), last))


def _fields(table: type[Table]) -> list[Any]:
    return list(table._meta.sorted_fields)


def _keys(table: type[Table]) -> list[Any]:
    return list(table._meta.get_primary_keys())  # type: ignore[no-untyped-call]


def _named(table: type[Table]) -> str:
    return str(table._meta.table_name)

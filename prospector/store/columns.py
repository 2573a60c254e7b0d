"""Kinds of columns that the tables of the record share."""

from enum import Enum as PythonEnum
from enum import StrEnum

from sqlalchemy import CheckConstraint, Column, DateTime, Enum, ForeignKey, Integer, Text, func, text
from sqlalchemy.dialects.postgresql import JSONB

from prospector.core.visits.methods import Method


def one_of(column: str, values: type[StrEnum]) -> CheckConstraint:
    listed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} IN ({listed})", name=column)


def closed_set(name: str, values: type[PythonEnum]) -> Enum:
    """A Postgres enum: 4 bytes a row, readable, and a value is added without a lock on any row."""
    return Enum(values, name=name, values_callable=lambda kind: [one.value for one in kind])


# names that only machines compare: byte order, in every database, whatever its locale
NAME = Text(collation="C")
MOMENT = DateTime(timezone=True)
JSON_OR_NULL = JSONB(none_as_null=True)
METHOD = closed_set("method", Method)
NOW = func.now()


def job_key() -> Column[str]:
    return Column("job", NAME, ForeignKey("jobs.id", ondelete="CASCADE"), nullable=False)


def count(name: str) -> Column[int]:
    return Column(name, Integer, nullable=False, server_default=text("0"))

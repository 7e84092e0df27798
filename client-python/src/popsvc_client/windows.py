from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Iterator, Tuple

_LONGEST = timedelta(days=31)


def _instant(name: str, text: str) -> datetime:
    # fromisoformat of Python 3.9 does not know Z.
    instant = datetime.fromisoformat(f"{text[:-1]}+00:00" if text.endswith("Z") else text)
    if len(text) == len("2026-08-21"):
        return instant.replace(tzinfo=timezone.utc)
    if instant.tzinfo is None:
        raise ValueError(f"{name} must be a date, or a time with Z or an offset, not {text}")
    return instant.astimezone(timezone.utc)


def windows(from_: str, to: str) -> Iterator[Tuple[str, str]]:
    """Splits a period into consecutive windows of at most 31 days, the longest that a report may have.

    A date alone means midnight in UTC. Raises ValueError for text that is no time, and if from_ is not before to.
    """
    start, end = _instant("from_", from_), _instant("to", to)
    if start >= end:
        raise ValueError(f"from_ must be before to: {from_} is not before {to}")
    edges = [start + _LONGEST * index for index in range(-(-(end - start) // _LONGEST))] + [end]
    texts = [edge.isoformat().replace("+00:00", "Z") for edge in edges]
    return zip(texts, texts[1:])

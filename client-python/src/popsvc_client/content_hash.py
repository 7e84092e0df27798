from __future__ import annotations

import hashlib
import json
import math
import re
from datetime import datetime, timedelta, timezone
from typing import Any, Iterable, Mapping

_TIME = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:[Zz]|([+-])(\d\d):?(\d\d))", re.ASCII
)
_MAX_OFFSET_HOURS = 18
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def _to_utc(text: str) -> str:
    """Converts an ISO 8601 time to UTC with milliseconds and Z. Digits after the millisecond are cut off."""
    found = _TIME.fullmatch(text)
    problem = "playedAt must be an ISO 8601 timestamp with Z or an offset"
    if found is None:
        raise ValueError(problem)
    year, month, day, hour, minute, second, fraction, sign, offset_hours, offset_minutes = found.groups()
    hours, minutes = int(offset_hours or 0), int(offset_minutes or 0)
    if hours > _MAX_OFFSET_HOURS or minutes > 59:
        raise ValueError(problem)
    millis = int((fraction or "")[:3].ljust(3, "0"))
    try:
        local = datetime(
            int(year), int(month), int(day), int(hour), int(minute), int(second or 0), millis * 1000, timezone.utc
        )
        offset = timedelta(hours=hours, minutes=minutes)
        utc = local + offset if sign == "-" else local - offset
    except (ValueError, OverflowError) as error:
        raise ValueError(problem) from error
    return f"{utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03d}Z".rjust(24, "0")


def _number(value: float) -> str:
    """Formats a number as ECMAScript does, which RFC 8785 requires."""
    if not math.isfinite(value):
        raise ValueError(f"{value} is not a number of JSON")
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent_text = f"{abs(value)!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    leading_zeros = len(whole + fraction) - len(digits)
    # The value is 0.{digits} × 10^point.
    point = len(whole) - leading_zeros + int(exponent_text or 0)
    digits = digits.rstrip("0")
    count = len(digits)
    if count <= point <= 21:
        return sign + digits + "0" * (point - count)
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    exponent = point - 1
    tail = f".{digits[1:]}" if count > 1 else ""
    return f"{sign}{digits[0]}{tail}e{'+' if exponent > 0 else '-'}{abs(exponent)}"


def _string(text: str) -> str:
    quoted = json.dumps(text, ensure_ascii=False)
    return _LONE_SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", quoted)


def _canonical_json(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, (int, float)):
        # JSON has one kind of number: the service reads integers as floating-point numbers, too.
        return _number(float(value))
    if isinstance(value, Mapping):
        names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{_string(name)}:{_canonical_json(value[name])}" for name in names) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(_canonical_json(item) for item in value) + "]"
    raise TypeError(f"a value of type {type(value).__name__} is not JSON")


def _without_nulls(value: Mapping[str, Any], fields: Iterable[str]) -> dict[str, Any]:
    return {name: field for name, field in value.items() if field is not None or name not in fields}


def _without_optional_nulls(play: Mapping[str, Any]) -> dict[str, Any]:
    """Leaves out optional fields that are None, as the service does. In context and device, None is content."""
    cleaned = _without_nulls(play, play)
    impressions = cleaned.get("impressions")
    if isinstance(impressions, Mapping):
        impressions = _without_nulls(impressions, ("ageBuckets",))
        if isinstance(impressions.get("ageBuckets"), Mapping):
            impressions["ageBuckets"] = _without_nulls(impressions["ageBuckets"], ("total", "male", "female"))
        cleaned["impressions"] = impressions
    return cleaned


def content_hash(play: Mapping[str, Any]) -> str:
    """Returns the hash that `Client.reconcile` compares.

    It is the SHA-256, as hexadecimal digits, of the play as RFC 8785 JSON with playedAt in UTC with milliseconds.
    """
    canonical = _canonical_json({**_without_optional_nulls(play), "playedAt": _to_utc(play["playedAt"])})
    return hashlib.sha256(canonical.encode("utf-8")).hexdigest()

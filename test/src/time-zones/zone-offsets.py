"""
Prints zone-offsets.fixture.ts: what Python's zoneinfo, an implementation of its own, reads from the compiled time zones of a system.

  apt-get download tzdata && dpkg -x tzdata_*.deb tz
  python3 zone-offsets.py tz/usr/share/zoneinfo 'tzdata 2026f-0+deb12u1' NAME... > zone-offsets.fixture.ts

NAME...: the zones of moment-timezone, `zoneNames` of @popsvc/contracts/time-zones.
"""

# cspell:ignore PYTHONTZPATH
import os
import sys
from datetime import datetime, timezone

folder, source, *names = sys.argv[1:]
os.environ["PYTHONTZPATH"] = os.path.abspath(folder)
from zoneinfo import ZoneInfo  # noqa: E402

# Both sides of each change of rules in 2026, and the seasons of both hemispheres.
INSTANTS = [
    "2025-01-15T12:00:00", "2025-04-03T00:30:00", "2025-07-15T18:45:00", "2025-10-28T06:15:00", "2026-01-15T12:00:00",
    "2026-03-04T03:00:00", "2026-06-20T21:10:00", "2026-09-25T09:00:00", "2026-10-21T22:00:00", "2026-11-20T15:30:00",
    "2027-03-20T23:59:59", "2027-07-15T12:00:00", "2027-12-15T12:00:00",
]
# Around the changes of the date line.
PAST = {
    "Pacific/Apia": ["2011-12-30T09:59:59", "2011-12-30T10:00:00"],
    "Pacific/Fakaofo": ["2011-12-30T10:59:59", "2011-12-30T11:00:00"],
    "Pacific/Kwajalein": ["1993-08-21T11:59:59", "1993-08-21T12:00:00"],
    "Kwajalein": ["1993-08-21T11:59:59", "1993-08-21T12:00:00"],
    "Pacific/Kiritimati": ["1994-12-31T09:59:59", "1994-12-31T10:00:00"],
    "Pacific/Enderbury": ["1994-12-31T10:59:59", "1994-12-31T11:00:00"],
    "Pacific/Kanton": ["1994-12-31T10:59:59", "1994-12-31T11:00:00"],
}


def seconds(zone, instant):
    at = datetime.fromisoformat(instant).replace(tzinfo=timezone.utc)
    return int(at.astimezone(ZoneInfo(zone)).utcoffset().total_seconds())


def quoted(text):
    return f"'{text}'"


by_offsets = {}
for name in names:
    minutes = ",".join(str(seconds(name, each) // 60) for each in INSTANTS)
    by_offsets.setdefault(minutes, []).append(name)

print("// cspell:disable")
print("/* Printed by zone-offsets.py: do not edit. */")
print("\n/** What computed the table, from which data. */")
print(f"export const source = {quoted(f'Python zoneinfo, {source}')};")
print("\nexport const instants: readonly string[] = [")
print("\n".join(f"  '{each}Z'," for each in INSTANTS) + "\n];")
print("\n/** Minutes ahead of UTC at the instants, and the zones that have them. */")
print("export const zonesByOffsets: Readonly<Record<string, string>> = {")
for minutes, zones in sorted(by_offsets.items()):
    print(f"  '{minutes}':\n    '{' '.join(zones)}',")
print("};")
print("\n/** Zone, instant, and minutes ahead of UTC: around changes of the date line. */")
print("export const pastOffsets: readonly (readonly [zone: string, instant: string, minutes: number])[] = [")
for zone, times in PAST.items():
    for each in times:
        print(f"  ['{zone}', '{each}Z', {seconds(zone, each) // 60}],")
print("];")

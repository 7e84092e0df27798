import { instantOf } from '@popsvc/contracts/time';
import type { IntakeMinute, LagSample } from '@popsvc/platform/postgres';
import type { Overview } from './schema.ts';

export const minuteMs = 60_000;
const minutes = 60;
/** Processes write their counts every ten seconds, so a minute is complete only some time after its end. */
const settleMs = 15_000;

/** The last 60 complete minutes as `[from, to)`, in ms since 1970. */
export const completeHour = (nowMs: number): readonly [number, number] => {
  const to = Math.floor((nowMs - settleMs) / minuteMs) * minuteMs;
  return [to - minutes * minuteMs, to];
};

export interface RecordedMinutes {
  readonly intake: readonly IntakeMinute[] | undefined;
  readonly lag: readonly (LagSample & { readonly minuteMs: number })[] | undefined;
}

const isAccepted = ({ outcome }: IntakeMinute) => outcome === 'accepted' || outcome === 'bulk_accepted';
const seconds = (ms: number | null | undefined) => (ms === null || ms === undefined ? null : Math.round(ms / 100) / 10);

const addTo = <Key>(sums: Map<Key, number>, key: Key, events: number) => sums.set(key, (sums.get(key) ?? 0) + events);

const sumEventsBy = <Key>(counts: readonly IntakeMinute[], keyOf: (count: IntakeMinute) => Key): Map<Key, number> => {
  const sums = new Map<Key, number>();
  for (const count of counts) addTo(sums, keyOf(count), count.events);
  return sums;
};

export const buildHistory = (
  { intake = [], lag = [] }: RecordedMinutes,
  [from, to]: readonly [number, number],
): Overview['history'] => {
  // Command-api writes the count `accepted` every minute, even if it is 0. The counts of bulk workers do not show whether command-api runs.
  const reportedMinutes = new Set(
    intake.filter(({ outcome }) => outcome === 'accepted').map((count) => count.minuteMs),
  );
  const [accepted, refused] = [true, false].map((which) =>
    sumEventsBy(
      intake.filter((count) => isAccepted(count) === which),
      (count) => count.minuteMs,
    ),
  );
  const lagOf = new Map(lag.map((each) => [each.minuteMs, each]));
  return Array.from({ length: (to - from) / minuteMs }, (_, index) => {
    const minute = from + index * minuteMs;
    const eventsOf = (sums: ReadonlyMap<number, number> | undefined) =>
      reportedMinutes.has(minute) ? (sums?.get(minute) ?? 0) : null;
    return {
      minute: instantOf(minute),
      accepted: eventsOf(accepted),
      refused: eventsOf(refused),
      lag_events: lagOf.get(minute)?.lagEvents ?? null,
      freshness_seconds: seconds(lagOf.get(minute)?.freshnessMs),
    };
  });
};

export const summarizeHour = ({ intake }: RecordedMinutes, history: Overview['history']) => {
  const last = history.at(-1);
  const events = sumEventsBy(intake ?? [], isAccepted);
  const codes = sumEventsBy(
    (intake ?? []).filter((count) => !isAccepted(count)),
    ({ outcome }) => outcome,
  );
  return {
    accepted_per_minute: last?.accepted ?? null,
    refused_per_minute: last?.refused ?? null,
    accepted_last_hour: intake ? (events.get(true) ?? 0) : null,
    refused_last_hour: intake ? (events.get(false) ?? 0) : null,
    refused_by: [...codes]
      .map(([code, many]) => ({ code, events: many }))
      .sort((a, b) => b.events - a.events || a.code.localeCompare(b.code)),
  };
};

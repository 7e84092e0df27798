import { joinSpans } from '@popsvc/domain/spans';
import { onlineWindowMs } from '@popsvc/domain/status';

/** Half-open, milliseconds since 1970; the end is null while the outage lasts. */
export interface Outage {
  readonly offlineAtMs: number;
  readonly onlineAtMs: number | null;
}

export interface EffectiveOutage extends Outage {
  /** Whether backfilled heartbeats shortened the recorded outage. */
  readonly backfilled: boolean;
}

/**
 * Reference model of the view `effective_outages`: the parts of a recorded outage, in order, that backfilled heartbeats do
 * not cover; each heartbeat covers 300 s from its instant. An outage of length zero has no parts.
 */
export const effectiveOutages = (
  { offlineAtMs, onlineAtMs }: Outage,
  backfilledMs: readonly number[],
): EffectiveOutage[] => {
  const endMs = onlineAtMs ?? Infinity;
  const alive = joinSpans(backfilledMs.map((from) => ({ from, to: from + onlineWindowMs }))).filter(
    ({ from, to }) => to > offlineAtMs && from < endMs,
  );
  const starts = [offlineAtMs, ...alive.map(({ to }) => to)];
  const ends = [...alive.map(({ from }) => from), endMs];
  return starts.flatMap((startMs, index) => {
    const partEndMs = ends[index]!;
    if (startMs >= partEndMs) return [];
    return [
      { offlineAtMs: startMs, onlineAtMs: partEndMs === Infinity ? null : partEndMs, backfilled: alive.length > 0 },
    ];
  });
};

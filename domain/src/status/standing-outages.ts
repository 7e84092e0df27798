import { joinSpans } from '../spans/index.ts';
import { onlineWindowMs } from './liveness.ts';

/** Half-open, ms since 1970; without an end while it lasts. */
export interface Outage {
  readonly offlineAtMs: number;
  readonly onlineAtMs: number | null;
}

export interface EffectiveOutage extends Outage {
  /** Whether backfilled heartbeats shortened what was recorded. */
  readonly backfilled: boolean;
}

/**
 * What is left of a recorded outage, in order, where backfilled heartbeats say that it was alive after all, each for 300 s from
 * its instant (decisions 7.2). An outage without length leaves nothing.
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

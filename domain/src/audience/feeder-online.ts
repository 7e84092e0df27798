import type { Play } from './attribute.ts';

/** How long before a play a feeder may have been heard last and still count as online; milliseconds. */
export const feederOnlineWindowMs = 300_000;

/**
 * Whether a feeder was online during a play (decisions 5.2): one of the given heartbeats lies in [start − 300 s, end),
 * whenever it was received. Takes the instants of the feeders that were the device's as of the start of the play.
 */
export const wasFeederOnline = (
  { startMs, durationMs }: Pick<Play, 'startMs' | 'durationMs'>,
  beatsMs: Iterable<number>,
): boolean => {
  for (const atMs of beatsMs) if (atMs >= startMs - feederOnlineWindowMs && atMs < startMs + durationMs) return true;
  return false;
};

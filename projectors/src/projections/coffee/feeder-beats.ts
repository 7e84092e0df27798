import type { HeartbeatRecorded } from '@popsvc/contracts/events';
import type { feederHeartbeats } from '@popsvc/read-models/tables';
import { feederOnlineWindowMs } from '@popsvc/domain/audience';
import type { LogEvent } from '@popsvc/platform/event-store';
import { spanOf } from '../rows/spans.ts';
import { sourceOf } from '../rows/source.ts';

type BeatRow = Record<keyof (typeof feederHeartbeats)['fields'], unknown>;

/**
 * Heartbeats of feeders as rows. What a beat can change is kept small: plays that an earlier beat of the same feeder reaches
 * were computed with that one, so where this life of the fold knows one, only plays that begin later are in question. A
 * feeder that beats each minute so reaches for plays that are yet to come, and there are none.
 */
export const feederBeatRows = () => {
  /** The latest instant at which each feeder is known to have been heard. */
  const latest = new Map<string, number>();
  return (event: LogEvent, { at }: HeartbeatRecorded, feederId: number): { row: BeatRow; keep: () => void } => {
    const { network_id, pos } = sourceOf(event);
    const atMs = Date.parse(at);
    const key = `${network_id}/${feederId}`;
    const knownMs = latest.get(key) ?? -Infinity;
    const isNext = atMs >= knownMs;
    const row = {
      network_id,
      span: spanOf(atMs),
      feeder_id: feederId,
      at: atMs,
      pos,
      reach_from: isNext ? Math.max(atMs, knownMs + feederOnlineWindowMs + 1) : atMs,
    };
    return {
      row,
      keep: () => {
        if (isNext) latest.set(key, atMs);
      },
    };
  };
};

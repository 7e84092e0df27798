import type { AppHeartbeat, IntervalRecord } from '@popsvc/domain/uptime';
import type { AppState } from '@popsvc/contracts/vocabulary';

export const seconds = (count: number): number => Math.round(count * 1_000);
export const minutes = (count: number): number => seconds(60 * count);

/** Heartbeats of one state at these seconds. */
export const beats = (state: AppState, ...at: readonly number[]): AppHeartbeat[] =>
  at.map((second) => ({ state, atMs: seconds(second) }));

/** An interval in seconds; without `to` it is open, without `lastHeartbeat` it had no heartbeat. */
export const record = (fields: {
  from: number;
  to?: number;
  lastHeartbeat?: number;
  state?: AppState;
}): IntervalRecord => ({
  state: fields.state ?? 'running',
  startedAtMs: seconds(fields.from),
  endedAtMs: fields.to === undefined ? null : seconds(fields.to),
  lastHeartbeatAtMs: fields.lastHeartbeat === undefined ? null : seconds(fields.lastHeartbeat),
});

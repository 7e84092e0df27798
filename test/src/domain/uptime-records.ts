import type { AppHeartbeat, IntervalRecord } from '@popsvc/domain/uptime';
import type { AppState } from '@popsvc/contracts/vocabulary';

export const seconds = (count: number): number => Math.round(count * 1_000);
export const minutes = (count: number): number => seconds(60 * count);

/** Heartbeats of one state, at so many seconds. */
export const beats = (state: AppState, ...at: readonly number[]): AppHeartbeat[] =>
  at.map((second) => ({ state, atMs: seconds(second) }));

/** An interval in seconds; without `to` it lasts, without `heard` it never was. */
export const record = (told: { from: number; to?: number; heard?: number; state?: AppState }): IntervalRecord => ({
  state: told.state ?? 'running',
  startedAtMs: seconds(told.from),
  endedAtMs: told.to === undefined ? null : seconds(told.to),
  lastHeartbeatAtMs: told.heard === undefined ? null : seconds(told.heard),
});

import type { backfilledHeartbeats, liveness, outages } from '@popsvc/read-models/tables';
import type { LivenessChange, LivenessSubject } from '@popsvc/domain/status';

type RowOf<Table extends { fields: Readonly<Record<string, unknown>> }> = Record<keyof Table['fields'], unknown>;

/** A device or feeder as these tables name it. */
export const subjectOf = (network_id: number, { kind, id }: LivenessSubject) => ({ network_id, kind, id });
type Whose = ReturnType<typeof subjectOf>;

export const livenessRow = (whose: Whose, receivedMs: number): RowOf<typeof liveness> => ({
  ...whose,
  last_received_at: receivedMs,
  version: BigInt(receivedMs),
});

export const backfilledRow = (whose: Whose, at: number, received_at: number): RowOf<typeof backfilledHeartbeats> => ({
  ...whose,
  at,
  received_at,
});

/** The outage a change begins or ends, which is the same row; none when something is heard for the first time. */
export const outageRow = (whose: Whose, change: LivenessChange, pos: bigint): RowOf<typeof outages> | undefined => {
  if (change.status === 'offline') return { ...whose, offline_at: change.offlineAtMs, online_at: null, pos };
  if (change.offlineSinceMs === null) return undefined;
  return { ...whose, offline_at: change.offlineSinceMs, online_at: change.onlineAtMs, pos };
};

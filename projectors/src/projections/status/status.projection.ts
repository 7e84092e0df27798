import { HeartbeatRecorded, parkingStream, streamPrefixes } from '@popsvc/contracts/events';
import {
  classifyHeartbeat,
  type LivenessChange,
  type LivenessSubject,
  readLivenessChange,
} from '@popsvc/domain/status';
import type { LogEvent } from '@popsvc/platform/event-store';
import { backfilledHeartbeats, effectiveOutages, liveness, outages } from '@popsvc/read-models/tables';
import { createRowBatches } from '../../engine/row-batches.ts';
import type { Fold, Projection } from '../../engine/projection.ts';
import { readEvent } from '../../engine/read-event.ts';

type RowOf<Table extends { fields: Readonly<Record<string, unknown>> }> = Record<keyof Table['fields'], unknown>;

/** A device or feeder as these tables name it. */
const subjectOf = (network_id: number, { kind, id }: LivenessSubject) => ({ network_id, kind, id });
type Whose = ReturnType<typeof subjectOf>;

const livenessRow = (whose: Whose, receivedMs: number): RowOf<typeof liveness> => ({
  ...whose,
  last_received_at: receivedMs,
  version: BigInt(receivedMs),
});

const backfilledRow = (whose: Whose, at: number, received_at: number): RowOf<typeof backfilledHeartbeats> => ({
  ...whose,
  at,
  received_at,
});

/** The outage a change begins or ends, which is the same row; none when something is heard for the first time. */
const outageRow = (whose: Whose, change: LivenessChange, pos: bigint): RowOf<typeof outages> | undefined => {
  if (change.status === 'offline') return { ...whose, offline_at: change.offlineAtMs, online_at: null, pos };
  if (change.offlineSinceMs === null) return undefined;
  return { ...whose, offline_at: change.offlineSinceMs, online_at: change.onlineAtMs, pos };
};

const facts = { liveness, outages, backfilledBeats: backfilledHeartbeats };

const start = (): Fold => {
  const open = createRowBatches(facts);
  /** The latest receipt of each in this batch: a thousand heartbeats of a device are one row. */
  const latest = new Map<string, ReturnType<typeof livenessRow>>();

  const hear = ({ metadata, recordedAtMs }: LogEvent, beat: HeartbeatRecorded, network: number) => {
    const receivedMs = Date.parse(metadata.receivedAt);
    const sign = classifyHeartbeat(beat, { receivedMs, recordedMs: recordedAtMs });
    const whose = subjectOf(network, sign);
    if (sign.backfilledMs !== undefined)
      open.of.backfilledBeats.add(backfilledRow(whose, sign.backfilledMs, receivedMs));
    if (sign.countedMs === undefined) return;
    const key = `${network}/${sign.kind}/${sign.id}`;
    const known = latest.get(key);
    if (!known || (known.last_received_at as number) < sign.countedMs)
      latest.set(key, livenessRow(whose, sign.countedMs));
  };

  return {
    restore: () => undefined,
    apply(event) {
      const data = readEvent(event);
      const { network } = event.metadata;
      const told = readLivenessChange(event.type, data);
      if (!told && event.type !== HeartbeatRecorded.type) return;
      if (network === undefined) throw new Error('the event names no network');
      if (!told) {
        hear(event, data as HeartbeatRecorded, network);
        return;
      }
      const row = outageRow(subjectOf(network, told.subject), told.change, event.position);
      if (row) open.of.outages.add(row);
    },
    get pending() {
      const { rows, bytes } = open.pending;
      return { rows: rows + latest.size, bytes };
    },
    seal() {
      for (const row of latest.values()) open.of.liveness.add(row);
      latest.clear();
      return { inserts: open.seal() };
    },
  };
};

/** Who was heard last when, and when who was offline. Whether something is online now depends on the time of asking. */
export const statusProjection: Projection = {
  name: 'status',
  version: 1,
  reads: [streamPrefixes.heartbeat, streamPrefixes.liveness, streamPrefixes.probe, parkingStream('status')],
  recalls: [],
  // A thousand heartbeats of a device are one row, and what is too old is none.
  rowEventTypes: [],
  tables: Object.values(facts),
  views: [effectiveOutages],
  parallelBuild: { facts: Object.values(facts) },
  createFold: start,
};

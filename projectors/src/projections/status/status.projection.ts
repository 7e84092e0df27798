import { HeartbeatsRecorded, parkingStream, type RecordedHeartbeat, streamPrefixes } from '@popsvc/contracts/events';
import {
  classifyHeartbeat,
  type LivenessChange,
  type LivenessSubject,
  readLivenessChange,
} from '@popsvc/domain/status';
import { backfilledHeartbeats, effectiveOutages, liveness, outages } from '@popsvc/read-models/tables';
import { type LogItem, readItem } from '../../engine/log-items.ts';
import { createRowBatches } from '../../engine/row-batches.ts';
import type { Fold, Projection } from '../../engine/projection.ts';
import type { RowOf } from '../rows/fact-rows.ts';

const subjectColumns = (network_id: number, { kind, id }: LivenessSubject) => ({ network_id, kind, id });
type SubjectColumns = ReturnType<typeof subjectColumns>;

const livenessRow = (subject: SubjectColumns, receivedMs: number): RowOf<typeof liveness> => ({
  ...subject,
  last_received_at: receivedMs,
  version: BigInt(receivedMs),
});

const backfilledRow = (
  subject: SubjectColumns,
  at: number,
  received_at: number,
): RowOf<typeof backfilledHeartbeats> => ({
  ...subject,
  at,
  received_at,
});

/** The row of an outage's end replaces that of its beginning. Undefined for the first heartbeat, which ends no outage. */
const outageRow = (subject: SubjectColumns, change: LivenessChange, pos: bigint): RowOf<typeof outages> | undefined => {
  if (change.status === 'offline') return { ...subject, offline_at: change.offlineAtMs, online_at: null, pos };
  if (change.offlineSinceMs === null) return undefined;
  return { ...subject, offline_at: change.offlineSinceMs, online_at: change.onlineAtMs, pos };
};

const factTables = { liveness, outages, backfilledHeartbeats };

const createFold = (): Fold => {
  const open = createRowBatches(factTables);
  const latestReceipts = new Map<string, ReturnType<typeof livenessRow>>();

  const addHeartbeat = ({ metadata, recordedAtMs }: LogItem, heartbeat: RecordedHeartbeat, network: number) => {
    const receivedMs = Date.parse(metadata.receivedAt);
    const classified = classifyHeartbeat(heartbeat, { receivedMs, recordedMs: recordedAtMs });
    const subject = subjectColumns(network, classified);
    if (classified.backfilledMs !== undefined)
      open.of.backfilledHeartbeats.add(backfilledRow(subject, classified.backfilledMs, receivedMs));
    if (classified.countedMs === undefined) return;
    const key = `${network}/${classified.kind}/${classified.id}`;
    const known = latestReceipts.get(key);
    if (!known || (known.last_received_at as number) < classified.countedMs)
      latestReceipts.set(key, livenessRow(subject, classified.countedMs));
  };

  return {
    restore: () => undefined,
    apply(event) {
      const data = readItem(event);
      const { network } = event.metadata;
      const recorded = readLivenessChange(event.type, data);
      if (!recorded && event.type !== HeartbeatsRecorded.type) return;
      if (network === undefined) throw new Error('the event metadata has no network');
      if (!recorded) {
        addHeartbeat(event, data as RecordedHeartbeat, network);
        return;
      }
      const row = outageRow(subjectColumns(network, recorded.subject), recorded.change, event.sequence);
      if (row) open.of.outages.add(row);
    },
    get pending() {
      const { rows, bytes } = open.pending;
      return { rows: rows + latestReceipts.size, bytes };
    },
    seal() {
      for (const row of latestReceipts.values()) open.of.liveness.add(row);
      latestReceipts.clear();
      return { inserts: open.seal() };
    },
  };
};

/** Whether a device or feeder is online depends on the time of the query, so the query computes it. */
export const statusProjection: Projection = {
  name: 'status',
  isSplit: true,
  version: 1,
  streams: [streamPrefixes.heartbeat, streamPrefixes.liveness, streamPrefixes.probe, parkingStream('status')],
  stateStreams: [],
  // No event type always adds a row: all heartbeats of a device in a batch share one row, and one with an `at` too far in the future has
  // none.
  rowEventTypes: [],
  tables: Object.values(factTables),
  views: [effectiveOutages],
  createFold,
};

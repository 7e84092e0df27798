import { HeartbeatRecorded, parkingStream, streamPrefixes } from '@popsvc/contracts/events';
import { backfilledHeartbeats, liveness, outages, effectiveOutages } from '@popsvc/read-models/tables';
import { readLivenessChange, classifyHeartbeat } from '@popsvc/domain/status';
import type { LogEvent } from '@popsvc/platform/event-store';
import { openBatches } from '../../engine/open-batches.ts';
import type { Fold, Projection } from '../../engine/projection.ts';
import { readEvent } from '../../engine/read-event.ts';
import { backfilledRow, livenessRow, outageRow, subjectOf } from './status-rows.ts';

const facts = { liveness, outages, backfilledBeats: backfilledHeartbeats };

const start = (): Fold => {
  const open = openBatches(facts);
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
    recall: () => undefined,
    take(event) {
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
  rowOfEach: [],
  tables: Object.values(facts),
  views: [effectiveOutages],
  rebuild: { facts: Object.values(facts) },
  start,
};

import { HeartbeatRecorded, IntervalRecorded, parkingStream, streamPrefixes } from '@popsvc/contracts/events';
import { heartbeats, intervals, currentIntervals } from '@popsvc/read-models/tables';
import { openBatches } from '../../engine/open-batches.ts';
import type { Fold, Projection } from '../../engine/projection.ts';
import { readEvent } from '../../engine/read-event.ts';
import { heartbeatRow, intervalRow } from './uptime-rows.ts';

const facts = { heartbeats, intervals };

const start = (): Fold => {
  const open = openBatches(facts);
  return {
    recall: () => undefined,
    take(event) {
      const data = readEvent(event);
      if (event.type === HeartbeatRecorded.type) open.of.heartbeats.add(heartbeatRow(event, data as HeartbeatRecorded));
      else if (event.type === IntervalRecorded.type)
        open.of.intervals.add(intervalRow(event, data as IntervalRecorded));
    },
    get pending() {
      return open.pending;
    },
    seal: () => ({ inserts: open.seal() }),
  };
};

/** When devices, apps and feeders were alive. Facts only: intervals are formed from heartbeats when they are asked for. */
export const uptimeProjection: Projection = {
  name: 'uptime',
  version: 1,
  reads: [streamPrefixes.heartbeat, streamPrefixes.interval, streamPrefixes.probe, parkingStream('uptime')],
  recalls: [],
  rowOfEach: [HeartbeatRecorded.type, IntervalRecorded.type],
  tables: Object.values(facts),
  views: [currentIntervals],
  rebuild: { facts: Object.values(facts) },
  start,
};

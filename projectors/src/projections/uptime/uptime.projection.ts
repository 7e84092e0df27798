import {
  HeartbeatsRecorded,
  IntervalsRecorded,
  parkingStream,
  type RecordedHeartbeat,
  type RecordedInterval,
  streamPrefixes,
} from '@popsvc/contracts/events';
import { currentIntervals, heartbeats, intervals } from '@popsvc/read-models/tables';
import { type LogItem, readItem } from '../../engine/log-items.ts';
import { createRowBatches } from '../../engine/row-batches.ts';
import type { Fold, Projection } from '../../engine/projection.ts';
import { type RowOf, sourceOf } from '../rows/fact-rows.ts';

const instantMs = (text: string | null) => (text === null ? null : Date.parse(text));

const heartbeatRow = (
  event: LogItem,
  { deviceId, feederId, appCode, state, at }: RecordedHeartbeat,
): RowOf<typeof heartbeats> => ({
  device_id: deviceId ?? 0,
  feeder_id: feederId ?? 0,
  app: appCode ?? '',
  state: state ?? '',
  at: Date.parse(at),
  ...sourceOf(event),
});

const intervalRow = (
  event: LogItem,
  { deviceId, appCode, state, startedAt, endedAt, lastHeartbeatAt, revision }: RecordedInterval,
): RowOf<typeof intervals> => ({
  device_id: deviceId,
  app: appCode,
  state,
  started_at: Date.parse(startedAt),
  ended_at: instantMs(endedAt),
  last_heartbeat_at: instantMs(lastHeartbeatAt),
  revision,
  ...sourceOf(event),
});

const factTables = { heartbeats, intervals };

const createFold = (): Fold => {
  const open = createRowBatches(factTables);
  return {
    restore: () => undefined,
    apply(event) {
      const data = readItem(event);
      if (event.type === HeartbeatsRecorded.type)
        open.of.heartbeats.add(heartbeatRow(event, data as RecordedHeartbeat));
      else if (event.type === IntervalsRecorded.type)
        open.of.intervals.add(intervalRow(event, data as RecordedInterval));
    },
    get pending() {
      return open.pending;
    },
    seal: () => ({ inserts: open.seal() }),
  };
};

/** Queries derive further uptime intervals from heartbeats. */
export const uptimeProjection: Projection = {
  name: 'uptime',
  isSplit: true,
  version: 1,
  streams: [streamPrefixes.heartbeat, streamPrefixes.interval, streamPrefixes.probe, parkingStream('uptime')],
  stateStreams: [],
  rowEventTypes: [HeartbeatsRecorded.type, IntervalsRecorded.type],
  tables: Object.values(factTables),
  views: [currentIntervals],
  createFold,
};

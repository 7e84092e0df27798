import type { HeartbeatRecorded, IntervalRecorded } from '@popsvc/contracts/events';
import type { heartbeats, intervals } from '@popsvc/read-models/tables';
import type { LogEvent } from '@popsvc/platform/event-store';
import { sourceOf } from '../rows/source.ts';

type RowOf<Table extends { fields: Readonly<Record<string, unknown>> }> = Record<keyof Table['fields'], unknown>;

const instant = (text: string | null) => (text === null ? null : Date.parse(text));

export const heartbeatRow = (
  event: LogEvent,
  { deviceId, feederId, appCode, state, at }: HeartbeatRecorded,
): RowOf<typeof heartbeats> => ({
  device_id: deviceId ?? 0,
  feeder_id: feederId ?? 0,
  app: appCode ?? '',
  state: state ?? '',
  at: Date.parse(at),
  ...sourceOf(event),
});

export const intervalRow = (
  event: LogEvent,
  { deviceId, appCode, state, startedAt, endedAt, lastHeartbeatAt, revision }: IntervalRecorded,
): RowOf<typeof intervals> => ({
  device_id: deviceId,
  app: appCode,
  state,
  started_at: Date.parse(startedAt),
  ended_at: instant(endedAt),
  last_heartbeat_at: instant(lastHeartbeatAt),
  revision,
  ...sourceOf(event),
});

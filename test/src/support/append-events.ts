import { randomUUID } from 'node:crypto';
import {
  type RecordedDetection,
  type RecordedHeartbeat,
  type IntakeKind,
  type RecordedInterval,
  intakeStream,
  type RecordedPlay,
} from '@popsvc/contracts/events';
import { listEvent, type ListEventType } from './list-events.ts';

/** Network and vendor of events, and the time at which they were received. */
export interface EventSource {
  readonly network?: number;
  readonly vendor?: string;
  readonly receivedAt?: string;
}

/** Appends events of one item, of the network of the small registry. Every field has a default; a test sets only the fields it is about. */
export interface EventAppender {
  play(play: Partial<RecordedPlay>, from?: EventSource): Promise<bigint>;
  detection(detection: Partial<RecordedDetection>, from?: EventSource): Promise<bigint>;
  heartbeat(heartbeat: Partial<RecordedHeartbeat>, from?: EventSource): Promise<bigint>;
  interval(interval: Partial<RecordedInterval>, from?: EventSource): Promise<bigint>;
}

type Append = (stream: string, type: string, data: unknown, from?: EventSource) => Promise<bigint>;

export const createEventAppender = (append: Append): EventAppender => {
  const appendOf = (kind: IntakeKind, type: ListEventType, item: unknown, from: EventSource = {}) =>
    append(
      intakeStream(kind, from.network ?? 1, from.vendor ?? 'acme', Date.now()),
      type,
      listEvent(type, item).data,
      from,
    );
  return {
    play: (play, from) =>
      appendOf(
        'pop',
        'PlaysRecorded',
        {
          eventId: randomUUID(),
          screenId: 'screen-1',
          campaignId: 'C-100',
          creativeId: 'CR-1',
          playedAt: '2026-08-20T14:00:00.000Z',
          durationMs: 10_000,
          ...play,
        },
        from,
      ),
    detection: (detection, from) =>
      appendOf(
        'detection',
        'DetectionsRecorded',
        {
          detectionId: randomUUID(),
          revision: 0,
          deviceId: 4,
          watcherId: 1,
          startedAt: '2026-08-20T14:00:00.000Z',
          endedAt: '2026-08-20T14:00:10.000Z',
          distance: [],
          watches: [],
          population: 'VIEWER',
          ...detection,
        },
        from,
      ),
    heartbeat: (heartbeat, from) =>
      appendOf('heartbeat', 'HeartbeatsRecorded', { at: '2026-08-20T14:00:00.000Z', ...heartbeat }, from),
    interval: (interval, from) =>
      appendOf(
        'interval',
        'IntervalsRecorded',
        {
          deviceId: 4,
          appCode: 'player',
          state: 'running',
          startedAt: '2026-08-20T14:00:00.000Z',
          endedAt: null,
          lastHeartbeatAt: null,
          revision: 0,
          ...interval,
        },
        from,
      ),
  };
};

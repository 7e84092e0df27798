import { randomUUID } from 'node:crypto';
import {
  type DetectionRecorded,
  type HeartbeatRecorded,
  type IntakeKind,
  type IntervalRecorded,
  intakeStream,
  type PopRecorded,
} from '@popsvc/contracts/events';

/** Network and vendor of events, and the time at which they were received. */
export interface EventSource {
  readonly network?: number;
  readonly vendor?: string;
  readonly receivedAt?: string;
}

/** Appends events of the network of the small registry. Every field has a default; a test sets only the fields it is about. */
export interface EventAppender {
  play(play: Partial<PopRecorded>, from?: EventSource): Promise<bigint>;
  detection(detection: Partial<DetectionRecorded>, from?: EventSource): Promise<bigint>;
  heartbeat(heartbeat: Partial<HeartbeatRecorded>, from?: EventSource): Promise<bigint>;
  interval(interval: Partial<IntervalRecorded>, from?: EventSource): Promise<bigint>;
}

type Append = (stream: string, type: string, data: unknown, from?: EventSource) => Promise<bigint>;

export const createEventAppender = (append: Append): EventAppender => {
  const appendOf = (kind: IntakeKind, type: string, data: unknown, from: EventSource = {}) =>
    append(intakeStream(kind, from.network ?? 1, from.vendor ?? 'acme', Date.now()), type, data, from);
  return {
    play: (play, from) =>
      appendOf(
        'pop',
        'PopRecorded',
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
        'DetectionRecorded',
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
      appendOf('heartbeat', 'HeartbeatRecorded', { at: '2026-08-20T14:00:00.000Z', ...heartbeat }, from),
    interval: (interval, from) =>
      appendOf(
        'interval',
        'IntervalRecorded',
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

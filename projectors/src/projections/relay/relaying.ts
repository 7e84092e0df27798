import { ProbeEmitted } from '@popsvc/contracts/events';
import type { EventPublisher } from '@popsvc/platform/message-bus';
import type { Log, Registry } from '@popsvc/platform/telemetry';
import type { EventStore, LogEvent } from '@popsvc/platform/event-store';
import type { Postgres } from '@popsvc/platform/postgres';
import type { Board } from '../../engine/board.ts';
import { supervise } from '../../engine/runner/supervise.ts';
import { createRelayMetrics } from './relay-metrics.ts';
import { publishLog, relayName, relayedStreams } from './relay.ts';

/** Others are woken by what it publishes, so it is soon back when NATS is. */
const longestPauseMs = 5_000;

export interface RelayDependencies {
  readonly store: EventStore;
  readonly postgres: Postgres;
  readonly feed: EventPublisher;
  readonly board: Board;
  readonly metrics: Registry;
  readonly log: Log;
  readonly owner: string;
}

/** Runs the relay for as long as the signal allows, as one more projection: what it cannot publish now it publishes later. */
export const runRelay = (parts: RelayDependencies, signal: AbortSignal): Promise<void> => {
  const { board, metrics, log } = parts;
  const which = { name: relayName, generation: 1, reads: relayedStreams, isNeeded: false } as const;
  const published = createRelayMetrics(metrics);
  const record = (events: readonly LogEvent[]) => {
    const newest = events.at(-1)!;
    board.record(which, { upTo: newest.position, asOfMs: newest.recordedAtMs });
    published.inc(events.filter(({ type }) => type !== ProbeEmitted.type).length);
  };
  const incarnation = (onProgress: () => void) => {
    const onMoved = (events: readonly LogEvent[]) => {
      onProgress();
      record(events);
    };
    return publishLog({ ...parts, onMoved }, signal);
  };
  return supervise({ name: relayName, log, state: board.list(which), longestPauseMs }, incarnation, signal);
};

import { randomUUID } from 'node:crypto';
import { ApiError } from '@popsvc/contracts/errors';
import { ParkedEventsDiscarded, ParkedEventsRetried, parkingStream } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import type { EventStore } from '@popsvc/platform/event-store';
import {
  readStaleDecisionCutoff,
  type SelectedParkedEvent,
  requestParkedDecision,
  decideUnlessReplaying,
  type Postgres,
} from '@popsvc/platform/postgres';
import type { ProjectionDeclaration } from '@popsvc/read-models/generations';
import { appendEvents } from '../append-events.ts';

/** Facts taken late are named in every statement of their batch. */
const maxEventsPerDecision = 500;

export interface ParkedDecisionDependencies {
  readonly declarations: readonly ProjectionDeclaration[];
  readonly store: Pick<EventStore, 'append' | 'readEventAt' | 'readStream'>;
  readonly postgres: Postgres;
}

export interface ParkedDecision {
  readonly projection: string;
  /** Undefined: all that are parked. */
  readonly positions: readonly string[] | undefined;
  /** Given: they are discarded. */
  readonly reason?: string | undefined;
  readonly requestId?: string | undefined;
}

const appendDecision = async (
  store: ParkedDecisionDependencies['store'],
  { projection, reason, requestId }: ParkedDecision,
  asked: readonly SelectedParkedEvent[],
): Promise<void> => {
  const told = { projection, events: asked.map(({ position, stream }) => ({ position, stream })) };
  const [{ type, version }, data] =
    reason === undefined
      ? [ParkedEventsRetried, told satisfies ParkedEventsRetried]
      : [ParkedEventsDiscarded, { ...told, reason } satisfies ParkedEventsDiscarded];
  const metadata = {
    schemaVersion: version,
    receivedAt: instantOf(Date.now()),
    ...(requestId !== undefined && { requestId }),
  };
  await appendEvents(store, parkingStream(projection), [{ id: randomUUID(), type, data, metadata }], 'any');
};

/** Events that are not parked may be discarded, too: they keep a generation from being built. */
const findInLog = async (
  store: ParkedDecisionDependencies['store'],
  positions: readonly string[],
): Promise<readonly SelectedParkedEvent[]> => {
  const found: SelectedParkedEvent[] = [];
  for (const position of positions) {
    const event = await store.readEventAt(BigInt(position)).catch(() => undefined);
    if (event) found.push({ position, stream: event.stream });
  }
  return found;
};

const nothingParked = ({ projection, positions = [] }: ParkedDecision): ApiError =>
  new ApiError(
    'NOT_FOUND',
    `${projection} has nothing parked at ${positions.slice(0, 5).join(', ')}, or it was asked for a moment ago: popsvc events parked list tells what is.`,
  );

const replayInProgress = ({ projection }: ParkedDecision): ApiError =>
  new ApiError(
    'CONFLICT',
    `${projection} is being built anew, and would not be as the log says: decide when the replay has ended, or cancel it.`,
  );

const readLastDecision = async ({ store }: ParkedDecisionDependencies, projection: string): Promise<bigint> => {
  for await (const { position } of store.readStream(parkingStream(projection), { direction: 'backwards', max: 1 }))
    return position;
  return 0n;
};

/** Asks for what is parked, so many at a time that each batch of them is bounded; how many that are. */
const decideInBatches = async (
  { store, postgres, declarations }: ParkedDecisionDependencies,
  deciding: ParkedDecision,
  againBefore?: Date,
): Promise<number> => {
  const { projection, positions, reason } = deciding;
  const whole = reason === undefined ? (declarations.find(({ name }) => name === projection)?.recalls ?? []) : [];
  const wish = {
    projection,
    positions,
    orderedPrefixes: whole,
    limit: maxEventsPerDecision,
    requestedBefore: againBefore,
  };
  for (let events = 0; ;) {
    const asked = await requestParkedDecision(postgres, wish, (those) => appendDecision(store, deciding, those));
    if (asked === 'replaying') throw replayInProgress(deciding);
    events += asked.length;
    if (asked.length < maxEventsPerDecision) return events;
  }
};

/** Discards what is parked nowhere. */
const discardFromLog = async (
  { store, postgres }: ParkedDecisionDependencies,
  deciding: ParkedDecision,
): Promise<number> => {
  const found = await findInLog(store, deciding.positions ?? []);
  if (found.length === 0) throw nothingParked(deciding);
  const alone = await decideUnlessReplaying(postgres, deciding.projection, () =>
    appendDecision(store, deciding, found),
  );
  if (alone === 'replaying') throw replayInProgress(deciding);
  return found.length;
};

/**
 * Writes to the log what an operator decided about parked events, which every generation of the projection goes by; how many
 * events are meant. Of a stream whose order matters a retry means all that is parked.
 */
export const recordParkedDecision = async (
  parts: ParkedDecisionDependencies,
  deciding: ParkedDecision,
): Promise<number> => {
  const { projection, positions, reason } = deciding;
  const again = await readStaleDecisionCutoff(parts.postgres, projection, await readLastDecision(parts, projection));
  let events = await decideInBatches(parts, deciding);
  if (again) events += await decideInBatches(parts, deciding, again);
  if (events > 0 || !positions) return events;
  if (reason === undefined) throw nothingParked(deciding);
  return discardFromLog(parts, deciding);
};

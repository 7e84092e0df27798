import { randomUUID } from 'node:crypto';
import { ApiError } from '@popsvc/contracts/errors';
import {
  formatItemId,
  ParkedEventsDiscarded,
  ParkedEventsRetried,
  parkingStream,
  placeOf,
} from '@popsvc/contracts/events';
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
import { appendEvents } from '../requests/append-events.ts';

/**
 * Maximum number of parked events in one decision. The limit exists because the batch that applies a decision lists the retried
 * events in every SQL statement.
 */
const maxEventsPerDecision = 500;

export interface ParkedDecisionDependencies {
  readonly declarations: readonly ProjectionDeclaration[];
  readonly store: Pick<EventStore, 'append' | 'readEventAt' | 'readStream'>;
  readonly postgres: Postgres;
}

export interface ParkedDecision {
  readonly projection: string;
  /** Sequences of the items; undefined selects all parked items. */
  readonly sequences: readonly bigint[] | undefined;
  /** Why the events are discarded; undefined if they are to be retried. */
  readonly reason?: string | undefined;
  readonly requestId?: string | undefined;
}

const appendDecision = async (
  store: ParkedDecisionDependencies['store'],
  { projection, reason, requestId }: ParkedDecision,
  selected: readonly SelectedParkedEvent[],
): Promise<void> => {
  const events = selected.map(({ sequence, stream }) => {
    const { position, index } = placeOf(BigInt(sequence));
    return { position: position.toString(), index, stream };
  });
  const selection = { projection, events };
  const [{ type, version }, data] =
    reason === undefined
      ? [ParkedEventsRetried, selection satisfies ParkedEventsRetried]
      : [ParkedEventsDiscarded, { ...selection, reason } satisfies ParkedEventsDiscarded];
  const metadata = {
    schemaVersion: version,
    receivedAt: instantOf(Date.now()),
    ...(requestId !== undefined && { requestId }),
  };
  await appendEvents(store, parkingStream(projection), [{ id: randomUUID(), type, data, metadata }], 'any');
};

/**
 * Finds items in the log. Used to discard an item that is not parked but prevents a new generation from being
 * built.
 */
const findInLog = async (
  store: ParkedDecisionDependencies['store'],
  sequences: readonly bigint[],
): Promise<readonly SelectedParkedEvent[]> => {
  const found: SelectedParkedEvent[] = [];
  for (const sequence of sequences) {
    const event = await store.readEventAt(placeOf(sequence).position).catch(() => undefined);
    if (event) found.push({ sequence: sequence.toString(), stream: event.stream });
  }
  return found;
};

const nothingParked = ({ projection, sequences = [] }: ParkedDecision): ApiError =>
  new ApiError(
    'NOT_FOUND',
    `${projection} has nothing parked at ${sequences.slice(0, 5).map(formatItemId).join(', ')}, or a decision is already recorded: "popsvc events parked list" shows what is parked.`,
  );

const replayInProgress = ({ projection }: ParkedDecision): ApiError =>
  new ApiError(
    'CONFLICT',
    `${projection} is being replayed, and the replay could miss the decision: wait until the replay has ended, or cancel it.`,
  );

const readLastDecision = async ({ store }: ParkedDecisionDependencies, projection: string): Promise<bigint> => {
  for await (const { position } of store.readStream(parkingStream(projection), { direction: 'backwards', max: 1 }))
    return position;
  return 0n;
};

/**
 * Records the decision for all selected parked events, with one decision event for every `maxEventsPerDecision` parked events.
 * Returns the number of parked events that the decision affects.
 */
const decideInBatches = async (
  { store, postgres, declarations }: ParkedDecisionDependencies,
  decision: ParkedDecision,
  requestedBefore?: Date,
): Promise<number> => {
  const { projection, sequences, reason } = decision;
  const orderedPrefixes =
    reason === undefined ? (declarations.find(({ name }) => name === projection)?.stateStreams ?? []) : [];
  const request = {
    projection,
    sequences: sequences?.map(String),
    orderedPrefixes,
    limit: maxEventsPerDecision,
    requestedBefore,
  };
  for (let events = 0; ;) {
    const selected = await requestParkedDecision(postgres, request, (parked) =>
      appendDecision(store, decision, parked),
    );
    if (selected === 'replaying') throw replayInProgress(decision);
    events += selected.length;
    if (selected.length < maxEventsPerDecision) return events;
  }
};

/** Discards events that are in the log but are not parked in any generation. */
const discardFromLog = async (
  { store, postgres }: ParkedDecisionDependencies,
  decision: ParkedDecision,
): Promise<number> => {
  const found = await findInLog(store, decision.sequences ?? []);
  if (found.length === 0) throw nothingParked(decision);
  const outcome = await decideUnlessReplaying(postgres, decision.projection, () =>
    appendDecision(store, decision, found),
  );
  if (outcome === 'replaying') throw replayInProgress(decision);
  return found.length;
};

/**
 * Appends an operator's decision about parked events to the log, where every generation of the projection reads it. Returns the
 * number of affected events. If the projection depends on the event order within a stream, a retry of one parked event also
 * retries all other parked events of its stream.
 */
export const recordParkedDecision = async (
  dependencies: ParkedDecisionDependencies,
  decision: ParkedDecision,
): Promise<number> => {
  const { projection, sequences, reason } = decision;
  const again = await readStaleDecisionCutoff(
    dependencies.postgres,
    projection,
    await readLastDecision(dependencies, projection),
  );
  let events = await decideInBatches(dependencies, decision);
  if (again) events += await decideInBatches(dependencies, decision, again);
  if (events > 0 || !sequences) return events;
  if (reason === undefined) throw nothingParked(decision);
  return discardFromLog(dependencies, decision);
};

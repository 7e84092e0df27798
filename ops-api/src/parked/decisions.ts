import { randomUUID } from 'node:crypto';
import { ApiError } from '@popsvc/contracts/errors';
import { onlyShard, ownsEvent, wholeProjection, nameWithoutShard } from '@popsvc/domain/partitioning';
import {
  describePlace,
  formatItemId,
  ParkedEventsDiscarded,
  ParkedEventsRetried,
  parkingStream,
  placeOf,
} from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import type { EventStore } from '@popsvc/platform/event-store';
import {
  readProjectionNames,
  readStaleDecisionCutoff,
  readStopErrors,
  type SelectedParkedEvent,
  requestParkedDecision,
  decideUnlessReplaying,
  type Postgres,
} from '@popsvc/platform/postgres';
import type { ProjectionDeclaration } from '@popsvc/read-models/generations';
import { projectionNotFound } from '../projections/read-projections.ts';
import { appendEvents } from '../requests/append-events.ts';

/**
 * A projection lists the events of a decision in every SQL statement of the batch that applies the decision, so their number is
 * limited.
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
  await appendEvents(
    store,
    parkingStream(nameWithoutShard(projection)),
    [{ id: randomUUID(), type, data, metadata }],
    'any',
  );
};

/** An operator can discard an item that is not parked but stops the projection or a replay. */
const findInLog = async (
  store: ParkedDecisionDependencies['store'],
  { shard = onlyShard }: ProjectionDeclaration,
  sequences: readonly bigint[],
): Promise<readonly SelectedParkedEvent[]> => {
  const found: SelectedParkedEvent[] = [];
  for (const sequence of sequences) {
    const event = await store.readEventAt(placeOf(sequence).position);
    if (event && ownsEvent({ ...wholeProjection, shard }, event))
      found.push({ sequence: sequence.toString(), stream: event.stream });
  }
  return found;
};

const discardHint =
  ' An event that is not parked can be discarded only while the error of the projection or of its last replay names its position.';

const nothingParked = ({ projection, sequences = [], reason }: ParkedDecision): ApiError =>
  new ApiError(
    'NOT_FOUND',
    `${projection} has nothing parked at ${sequences.slice(0, 5).map(formatItemId).join(', ')}, or a decision is already recorded: "popsvc events parked list" shows what is parked.${reason === undefined ? '' : discardHint}`,
  );

const replayInProgress = (replaying: string): ApiError =>
  new ApiError(
    'CONFLICT',
    `${replaying} is being replayed, and the replay could miss the decision: wait until the replay has ended, or cancel it.`,
  );

const readLastDecision = async ({ store }: ParkedDecisionDependencies, projection: string): Promise<bigint> => {
  for await (const { position } of store.readStream(parkingStream(nameWithoutShard(projection)), {
    direction: 'backwards',
    max: 1,
  }))
    return position;
  return 0n;
};

interface DecisionScope {
  readonly declaration: ProjectionDeclaration;
  /**
   * The names of the projection in all shards, also for another number of shards. An event that belongs to no network may be parked in
   * several of them.
   */
  readonly affected: readonly string[];
}

const findScope = async (
  { declarations, postgres }: ParkedDecisionDependencies,
  projection: string,
): Promise<DecisionScope> => {
  const declaration = declarations.find(({ name }) => name === projection);
  if (!declaration) throw projectionNotFound(projection, declarations);
  const names = new Set([...declarations.map(({ name }) => name), ...(await readProjectionNames(postgres))]);
  const affected = [...names].filter((name) => nameWithoutShard(name) === nameWithoutShard(projection));
  return { declaration, affected };
};

const decideInBatches = async (
  { store, postgres }: ParkedDecisionDependencies,
  { affected }: DecisionScope,
  decision: ParkedDecision,
  requestedBefore?: Date,
): Promise<number> => {
  const { projection, sequences } = decision;
  const request = {
    projection,
    affected,
    sequences: sequences?.map(String),
    limit: maxEventsPerDecision,
    requestedBefore,
  };
  for (let events = 0; ;) {
    const outcome = await requestParkedDecision(postgres, request, (parked) => appendDecision(store, decision, parked));
    if ('replaying' in outcome) throw replayInProgress(outcome.replaying);
    events += outcome.result.length;
    if (outcome.result.length < maxEventsPerDecision) return events;
  }
};

const findNamed = (errors: readonly string[], sequences: readonly bigint[]): readonly bigint[] =>
  sequences.filter((sequence) => errors.some((error) => error.includes(describePlace(sequence))));

/** Ignores events that no error names: discarding them would remove their rows from later generations. */
const discardFromLog = async (
  { store, postgres }: ParkedDecisionDependencies,
  { declaration, affected }: DecisionScope,
  decision: ParkedDecision,
): Promise<number> => {
  const named = findNamed(await readStopErrors(postgres, affected), decision.sequences ?? []);
  const found = await findInLog(store, declaration, named);
  if (found.length === 0) throw nothingParked(decision);
  const outcome = await decideUnlessReplaying(postgres, affected, () => appendDecision(store, decision, found));
  if ('replaying' in outcome) throw replayInProgress(outcome.replaying);
  return found.length;
};

/**
 * Returns the number of affected events. Throws NOT_FOUND if the projection is unknown or no given event is affected, and CONFLICT
 * while a replay could miss the decision.
 */
export const recordParkedDecision = async (
  dependencies: ParkedDecisionDependencies,
  decision: ParkedDecision,
): Promise<number> => {
  const { projection, sequences, reason } = decision;
  const scope = await findScope(dependencies, projection);
  const again = await readStaleDecisionCutoff(
    dependencies.postgres,
    scope.affected,
    await readLastDecision(dependencies, projection),
  );
  let events = await decideInBatches(dependencies, scope, decision);
  if (again) events += await decideInBatches(dependencies, scope, decision, again);
  if (events > 0 || !sequences) return events;
  if (reason === undefined) throw nothingParked(decision);
  return discardFromLog(dependencies, scope, decision);
};

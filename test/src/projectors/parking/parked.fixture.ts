import { wholeProjection } from '@popsvc/domain/partitioning';
import { formatItemId, probeStream } from '@popsvc/contracts/events';
import { listParkedEvents } from '@popsvc/platform/postgres';
import { recordParkedDecision, type ParkedDecision } from '@popsvc/ops-api/server';
import { type LogItem, type Projection, runProjection, type RunnerDependencies } from '@popsvc/projectors/engine';
import { allProjections } from '@popsvc/projectors/projections';
import { ensureSchema } from '@popsvc/read-models/generations';
import { backlogBatchLimits, type TestSystem } from '../../support/test-system.ts';

export type Refuses = (item: LogItem) => boolean;

const named = (wanted: string) => allProjections.find(({ name }) => name === wanted)!;

/** A release that cannot read some items, or makes no rows of them. */
const faulty = (projection: Projection, refuses: Refuses, loses: Refuses): Projection => ({
  ...projection,
  createFold() {
    const fold = projection.createFold();
    const requireKnown = (item: LogItem) => {
      if (refuses(item)) throw new Error('this release does not know such events');
    };
    return {
      get pending() {
        return fold.pending;
      },
      restore(item) {
        requireKnown(item);
        fold.restore(item);
      },
      apply(item, at) {
        requireKnown(item);
        if (!loses(item)) fold.apply(item, at);
      },
      seal: (range) => fold.seal(range),
    };
  },
});

/** Runs a generation until all that is in the log is written. */
export const runTo = async (
  system: TestSystem,
  name: string,
  {
    refuses = () => false,
    loses = () => false,
    generation = 1,
    ...more
  }: Partial<RunnerDependencies> & { refuses?: Refuses; loses?: Refuses; generation?: number } = {},
): Promise<void> => {
  const { parts } = system;
  const probe = { service: 'test', emittedAt: new Date().toISOString() };
  const [stop, upTo] = [new AbortController(), await system.append(probeStream('test'), 'ProbeEmitted', probe)];
  const onBatch = (_: unknown, batch: { readonly upTo: bigint }) => {
    if (batch.upTo >= upTo) stop.abort();
  };
  const limits = backlogBatchLimits(more.limits);
  await runProjection(
    { ...parts, ...more, limits, onBatch },
    { projection: faulty(named(name), refuses, loses), generation, partition: wholeProjection },
    stop.signal,
  );
};

/** What an operator decides. Events to be discarded need not be parked: the error of the projection names them. */
export const decide = async ({ store, postgres }: TestSystem, deciding: ParkedDecision): Promise<number> => {
  const { projection, sequences = [], reason } = deciding;
  const error = sequences.map((sequence) => `an event at position ${formatItemId(sequence)} in a stream`).join();
  if (reason !== undefined)
    await postgres.query(
      `INSERT INTO projection_status (projection, generation, partition, state, error, owner) VALUES ($1, 1, 0, 'failing', $2, '')
       ON CONFLICT (projection, generation, partition) DO UPDATE SET error = excluded.error`,
      [projection, error],
    );
  return recordParkedDecision({ store, postgres, declarations: allProjections }, deciding);
};

/** Sequence, state and attempts. */
export const parkedOf = async ({ postgres }: TestSystem, projection: string) =>
  (await listParkedEvents(postgres, { projection, limit: 1_000 })).map(
    ({ sequence, state, attempts }) => [sequence, state, attempts] as const,
  );

/** The tables of another generation. */
export const tablesOf = ({ writer }: TestSystem, name: string, generation: number): Promise<void> =>
  ensureSchema(writer, [{ projection: named(name), generation }]);

import type { ReadinessChecks } from '@popsvc/contracts/diagnostics';
import { degraded, NotReadyError } from '@popsvc/platform/runtime';
import { type Queryable, readGenerations } from '@popsvc/platform/postgres';
import { checkShards, pingServers } from '@popsvc/read-models/generations';
import type { CheckedShard, DiagnosticsDependencies, RunningProjection } from './dependencies.ts';
import { findDamagedGenerations } from './checks/read-models.ts';

const assertProjectionsRunning = async (
  running: readonly RunningProjection[],
  shards: readonly Pick<CheckedShard, 'declarations'>[],
  postgres: Queryable,
): Promise<unknown> => {
  const namesIn = (...states: readonly string[]) => [
    ...new Set(running.filter(({ state, isNeeded }) => isNeeded && states.includes(state)).map(({ name }) => name)),
  ];
  const starting = namesIn('starting');
  const message = `starting: ${starting.join(', ')}`;
  if (shards.every(({ declarations }) => declarations.some(({ name }) => starting.includes(name))))
    throw new NotReadyError(message);
  if (starting.length > 0) return degraded(message);
  // Not failures: the other reports work, and operators need the running service to repair or replay these projections.
  const failing = namesIn('failing');
  if (failing.length > 0)
    return degraded(`failing: ${failing.join(', ')}; \`popsvc projections list\` gives the reason`);
  const ahead = namesIn('rebuild-needed');
  if (ahead.length > 0)
    return degraded(
      `ahead of the log: ${ahead.join(', ')}; once the lost events were sent again, run \`popsvc projections replay NAME\` for each`,
    );
  const damaged = findDamagedGenerations(await readGenerations(postgres))
    .map(({ projection }) => projection)
    .filter((projection) => running.some(({ name, isNeeded }) => isNeeded && name === projection));
  return damaged.length === 0 ? undefined : degraded(`damaged and being rebuilt: ${damaged.join(', ')}`);
};

/** Does not check NATS, because no data is lost while NATS is unavailable. */
export const createReadinessChecks = ({
  store,
  shards,
  postgres,
  listRunningProjections,
}: Pick<
  DiagnosticsDependencies,
  'store' | 'shards' | 'postgres' | 'listRunningProjections'
>): ReadinessChecks<'projectors'> => ({
  'event-store': () => store.ping(),
  clickhouse: () =>
    checkShards(
      shards.map(({ writer }) => writer),
      pingServers,
    ),
  postgresql: () => postgres.query('SELECT 1'),
  projection: () => assertProjectionsRunning(listRunningProjections(), shards, postgres),
});

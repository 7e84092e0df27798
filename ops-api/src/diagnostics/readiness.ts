import type { ReadinessChecks } from '@popsvc/contracts/diagnostics';
import { degraded, NotReadyError } from '@popsvc/platform/http';
import { type Queryable, readGenerations } from '@popsvc/platform/postgres';
import type { DiagnosticsDependencies, RunningProjection } from './dependencies.ts';
import { findDamagedGenerations } from './read-models-check.ts';

/**
 * Throws if a required projection of this process is still starting, is failing or must be rebuilt. A projection with damaged
 * tables is rebuilt by itself, so it is only degraded.
 */
const assertProjectionsRunning = async (
  running: readonly RunningProjection[],
  postgres: Queryable,
): Promise<unknown> => {
  const isLate = ({ state, isNeeded }: RunningProjection) =>
    isNeeded && ['starting', 'failing', 'rebuild-needed'].includes(state);
  const late = running.filter(isLate).map(({ name }) => name);
  if (late.length > 0) throw new NotReadyError(`not running: ${late.join(', ')}`);
  const damaged = findDamagedGenerations(await readGenerations(postgres))
    .map(({ projection }) => projection)
    .filter((projection) => running.some(({ name, isNeeded }) => isNeeded && name === projection));
  return damaged.length === 0 ? undefined : degraded(`damaged and being rebuilt: ${damaged.join(', ')}`);
};

/**
 * Creates the checks that `/readyz` of the projectors runs. NATS is not checked, because no data is lost while NATS is
 * unavailable.
 */
export const createReadinessChecks = ({
  store,
  writer,
  postgres,
  listRunningProjections,
}: Pick<
  DiagnosticsDependencies,
  'store' | 'writer' | 'postgres' | 'listRunningProjections'
>): ReadinessChecks<'projectors'> => ({
  'event-store': () => store.ping(),
  clickhouse: () => writer.ping(),
  postgresql: () => postgres.query('SELECT 1'),
  projection: () => assertProjectionsRunning(listRunningProjections(), postgres),
});

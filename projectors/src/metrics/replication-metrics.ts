import {
  countMissingStandbys,
  findMissingGuarantee,
  type Postgres,
  readReplicationState,
  type ReplicationState,
} from '@popsvc/platform/postgres';
import { createSampler } from '@popsvc/platform/runtime';
import type { Registry } from '@popsvc/platform/telemetry';
import { registerGauge } from './gauges.ts';

/** Metrics of standbys have no value if the role of the service may not read the state of standbys. */
export const registerReplicationMetrics = (
  metrics: Registry,
  postgres: Postgres,
  requireSyncStandby: boolean,
): void => {
  const read = createSampler(() => readReplicationState(postgres), { maxAgeMs: 5_000 });
  const ofState = (name: string, help: string, value: (state: ReplicationState) => number | undefined) =>
    registerGauge(metrics, { name, help }, async () => {
      const state = await read();
      return state && value(state);
    });
  ofState(
    'popsvc_postgresql_asynchronous',
    '1 if POSTGRES_REQUIRE_SYNC_STANDBY is true and commits in PostgreSQL do not wait for a standby, else 0.',
    (state) => Number(requireSyncStandby && findMissingGuarantee(state) !== undefined),
  );
  ofState(
    'popsvc_postgresql_missing_standbys',
    'Standbys that commits in PostgreSQL wait for and that do not stream.',
    (state) => state.standbys && countMissingStandbys(state),
  );
  registerGauge(
    metrics,
    {
      name: 'popsvc_postgresql_standby_lag_bytes',
      help: 'WAL that a connected standby of PostgreSQL has not replayed yet.',
      labelNames: ['standby'],
    },
    async () => ((await read())?.standbys ?? []).map(({ name, lagBytes }) => [{ standby: name }, lagBytes]),
  );
};

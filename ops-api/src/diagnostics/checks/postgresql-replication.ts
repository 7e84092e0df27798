import { createCheck, failed, type Finding, warning } from '@popsvc/contracts/diagnostics';
import {
  countMissingStandbys,
  findMissingGuarantee,
  parseStandbyNames,
  readReplicationState,
  type Standby,
} from '@popsvc/platform/postgres';
import type { ServiceEvaluation } from '../dependencies.ts';

const maxLagBytes = 64 * 1_048_576;

const check = createCheck(
  'postgresql-replication',
  'Commits in PostgreSQL wait for a standby, if POSTGRES_REQUIRE_SYNC_STANDBY is true. The standbys are connected and up to date.',
  {
    asynchronous: failed(
      'If the primary fails now, leases and checkpoints may be lost that the service relies on. Change the settings of the server and of the role (guide for operators, A PostgreSQL standby). A service that restarts before that ends at once.',
    ),
    'no-standby': failed(
      'Commits wait until enough standbys stream: projections wait, and requests with an Idempotency-Key get 503. Nothing is lost. Start the standbys and check their logs. The application_name in primary_conninfo must be a name in synchronous_standby_names.',
    ),
    'not-connected': warning(
      (subject) =>
        `Start the standby ${subject}, or remove its name from synchronous_standby_names. Commits continue with the others.`,
    ),
    behind: warning(
      (subject) =>
        `The standby ${subject} replays WAL more slowly than it is written, which delays a fail-over to it. Check its disk, its CPU and its network, and whether a long query on it delays the replay.`,
      { threshold: maxLagBytes, begins: `more than ${maxLagBytes / 1_048_576} MiB of WAL to replay` },
    ),
    'not-visible': warning(
      (subject) =>
        `Grant the role that DATABASE_URL names the right to see standbys: GRANT pg_read_all_stats TO ${subject}.`,
    ),
  },
);

const reportStandby = ({ name, state, lagBytes }: Standby): readonly Finding[] => {
  if (state === 'streaming' && lagBytes <= maxLagBytes) return [];
  const found = `has ${Math.round(lagBytes / 1_048_576)} MiB of WAL to replay, and its state is ${state}`;
  return [check.problem('behind', { subject: name, found })];
};

const describeStandbys = (standbys: readonly Standby[]): string =>
  standbys.map(({ name, isSynchronous }) => `${name} (${isSynchronous ? 'synchronous' : 'asynchronous'})`).join(', ');

export const postgresqlReplication: ServiceEvaluation = {
  check,
  needs: ['postgresql'],
  async evaluate({ postgres, requireSyncStandby }) {
    const state = await readReplicationState(postgres);
    const { standbys, role } = state;
    const required = parseStandbyNames(state.synchronousStandbyNames);
    const missingGuarantee = requireSyncStandby ? findMissingGuarantee(state) : undefined;
    if (missingGuarantee !== undefined) return [check.problem('asynchronous', { found: missingGuarantee })];
    if (standbys === undefined)
      return required.count === 0
        ? [check.ok({ found: 'not required: commits wait for no standby' })]
        : [
            check.problem('not-visible', {
              subject: role,
              found: 'commits wait for a standby, whose state the role may not see',
            }),
          ];
    const connected = new Set(standbys.map(({ name }) => name.toLowerCase()));
    const missing = countMissingStandbys(state);
    const findings = [
      ...(missing > 0
        ? [
            check.problem('no-standby', {
              found: `commits wait for ${required.count} standbys, and ${missing} of them do not stream`,
            }),
          ]
        : []),
      ...required.names
        .filter((name) => name !== '*' && !connected.has(name))
        .map((subject) => check.problem('not-connected', { subject, found: 'is not connected' })),
      ...standbys.flatMap(reportStandby),
    ];
    if (findings.length > 0) return findings;
    const found =
      required.count === 0
        ? ['not required: commits wait for no standby', ...standbys.map(({ name }) => `${name} (asynchronous)`)].join(
            '; ',
          )
        : `commits wait for ${required.count} of: ${describeStandbys(standbys)}`;
    return [check.ok({ found })];
  },
};

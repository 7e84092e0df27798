import { type Finding, reportOk, reportProblem } from '@popsvc/contracts/diagnostics';
import {
  countMissingStandbys,
  findMissingGuarantee,
  parseStandbyNames,
  readReplicationState,
  type Standby,
} from '@popsvc/platform/postgres';
import type { DiagnosticsDependencies } from './dependencies.ts';

/** A standby that has more WAL to replay than this delays a fail-over. */
const maxLagMiB = 64;

/** Returns the problem of a connected standby, if it has one. */
const reportStandby = ({ name, state, lagBytes }: Standby): readonly Finding[] => {
  const lagMiB = Math.round(lagBytes / 1_048_576);
  if (state === 'streaming' && lagMiB <= maxLagMiB) return [];
  const found = `has ${lagMiB} MiB of WAL to replay, and its state is ${state}`;
  return [reportProblem('postgresql-replication', 'behind', { subject: name, found })];
};

const describeStandbys = (standbys: readonly Standby[]): string =>
  standbys.map(({ name, isSynchronous }) => `${name} (${isSynchronous ? 'synchronous' : 'asynchronous'})`).join(', ');

/**
 * Checks that commits in PostgreSQL wait for a standby, if POSTGRES_REQUIRE_SYNC_STANDBY is true, and that the standbys that the
 * server names are connected and up to date.
 */
export const checkReplication = async ({
  postgres,
  requireSyncStandby,
}: Pick<DiagnosticsDependencies, 'postgres' | 'requireSyncStandby'>): Promise<readonly Finding[]> => {
  const state = await readReplicationState(postgres);
  const { standbys, role } = state;
  const required = parseStandbyNames(state.synchronousStandbyNames);
  const missingGuarantee = requireSyncStandby ? findMissingGuarantee(state) : undefined;
  if (missingGuarantee !== undefined)
    return [reportProblem('postgresql-replication', 'asynchronous', { found: missingGuarantee })];
  if (standbys === undefined)
    return required.count === 0
      ? [reportOk('postgresql-replication', { found: 'not required: commits wait for no standby' })]
      : [
          reportProblem('postgresql-replication', 'not-visible', {
            subject: role,
            found: 'commits wait for a standby, whose state the role may not see',
          }),
        ];
  const connected = new Set(standbys.map(({ name }) => name.toLowerCase()));
  const missing = countMissingStandbys(state);
  const findings = [
    ...(missing > 0
      ? [
          reportProblem('postgresql-replication', 'no-standby', {
            found: `commits wait for ${required.count} standbys, and ${missing} of them do not stream`,
          }),
        ]
      : []),
    ...required.names
      .filter((name) => name !== '*' && !connected.has(name))
      .map((subject) =>
        reportProblem('postgresql-replication', 'not-connected', { subject, found: 'is not connected' }),
      ),
    ...standbys.flatMap(reportStandby),
  ];
  if (findings.length > 0) return findings;
  const found =
    required.count === 0
      ? ['not required: commits wait for no standby', ...standbys.map(({ name }) => `${name} (asynchronous)`)].join(
          '; ',
        )
      : `commits wait for ${required.count} of: ${describeStandbys(standbys)}`;
  return [reportOk('postgresql-replication', { found })];
};

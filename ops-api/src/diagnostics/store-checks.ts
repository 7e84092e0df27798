import { type Finding, reportOk, reportProblem } from '@popsvc/contracts/diagnostics';
import { findWrongShard } from '@popsvc/platform/clickhouse';
import { EventStoreUnavailable, type StoreRight } from '@popsvc/platform/event-store';
import type { NatsStreamStatus } from '@popsvc/platform/message-bus';
import type { CheckedShard, DiagnosticsDependencies, Store } from './dependencies.ts';
import { classifyFailure, describeFailure, type FailureKind } from './failures.ts';

const failureTexts: Readonly<Record<FailureKind, string>> = {
  unreachable: 'cannot be reached',
  credentials: 'answers and refuses the login',
  'database-missing': 'answers, but the database of the service is missing',
  timeout: 'does not answer in time',
  'disk-full': 'has no free disk space',
  error: 'rejects the request',
};

const rightTexts: Readonly<Record<StoreRight, string>> = {
  'read-all': 'read $all',
  append: 'append to streams',
};

/** Creates the finding for a store whose request failed. */
export const reportStoreFailure = (store: Store, error: unknown): Finding => {
  if (store === 'event-store' && error instanceof EventStoreUnavailable && error.reason === 'no-leader')
    return reportProblem('event-store', 'no-leader', { found: `answers no request: ${error.message}` });
  const wrongShard = store === 'clickhouse' ? findWrongShard(error) : undefined;
  if (wrongShard) return reportProblem('clickhouse', 'wrong-shard', { found: wrongShard.message });
  const kind = classifyFailure(error);
  return reportProblem(store, kind, { found: `${failureTexts[kind]}: ${describeFailure(error)}` });
};

const postgresVersion =
  "SELECT current_setting('server_version') AS version, current_setting('transaction_read_only') AS read_only";

/** Runs a request to a store that resolves with a description of its state, or with a problem. */
const checkStore = async (store: Store, probe: () => Promise<string | Finding>): Promise<readonly Finding[]> => {
  try {
    const found = await probe();
    return [typeof found === 'string' ? reportOk(store, { found }) : found];
  } catch (error) {
    return [reportStoreFailure(store, error)];
  }
};

export const checkEventStore = ({ store }: Pick<DiagnosticsDependencies, 'store'>): Promise<readonly Finding[]> =>
  checkStore('event-store', async () => {
    const missing = await store.findMissingRights();
    if (missing.length === 0) return `answers; the log ends at ${await store.readHeadPosition()}`;
    const rights = missing.map((right) => rightTexts[right]).join(' or ');
    return reportProblem('event-store', 'rights-missing', { found: `answers; the login may not ${rights}` });
  });

/** Checks that a shard of ClickHouse answers. */
export const checkClickHouse = ({ writer }: Pick<CheckedShard, 'writer'>): Promise<readonly Finding[]> =>
  checkStore('clickhouse', async () => {
    const [row] = await writer.rows<{ version: string }>('SELECT version() AS version', { timeoutMs: 3_000 });
    return `answers, version ${row?.version ?? 'unknown'}`;
  });

export const checkPostgres = ({ postgres }: Pick<DiagnosticsDependencies, 'postgres'>): Promise<readonly Finding[]> =>
  checkStore('postgresql', async () => {
    const { rows } = await postgres.query<{ version: string; read_only: string }>(postgresVersion);
    if (rows[0]?.read_only === 'on') throw new Error('the server is a standby, which accepts no writes');
    return `answers, version ${rows[0]?.version ?? 'unknown'}`;
  });

const describeReplicas = ({ name, replicas: { configured, current } }: NatsStreamStatus): string =>
  configured === 1 ? `${name} has one replica` : `${current} of ${configured} replicas of ${name} are current`;

/**
 * Checks NATS, which delivers notifications and the event feed. Nothing is lost while it is unavailable, and no other check
 * needs it.
 */
export const checkNats = async ({ bus }: Pick<DiagnosticsDependencies, 'bus'>): Promise<readonly Finding[]> => {
  if (!bus) return [reportOk('nats', { found: 'not used: NATS_URL is not set, so services follow the log' })];
  try {
    const { jetStream, streams, missing, replicas } = await bus();
    if (!jetStream)
      return [
        reportProblem('nats', 'no-jetstream', {
          found: 'the server runs without JetStream, so events are not published',
        }),
      ];
    if (missing.length > 0)
      return [reportProblem('nats', 'streams-missing', { found: `streams are missing: ${missing.join(', ')}` })];
    const behind = streams.filter((stream) => stream.replicas.current < stream.replicas.configured);
    if (behind.length > 0)
      return [reportProblem('nats', 'replicas-behind', { found: behind.map(describeReplicas).join(', ') })];
    const few = streams.filter((stream) => stream.replicas.configured < replicas);
    if (few.length > 0) return [reportProblem('nats', 'few-replicas', { found: few.map(describeReplicas).join(', ') })];
    const found = streams.map(({ name, messages }) => `${name} holds ${messages} messages`).join(', ');
    return [reportOk('nats', { found })];
  } catch (error) {
    const kind = classifyFailure(error) === 'credentials' ? 'credentials' : 'unreachable';
    return [reportProblem('nats', kind, { found: `${failureTexts[kind]}: ${describeFailure(error)}` })];
  }
};

import { type Finding, reportOk, reportProblem } from '@popsvc/contracts/diagnostics';
import type { DiagnosticsDependencies, Store } from './dependencies.ts';
import { classifyFailure, describeFailure, type FailureKind } from './failures.ts';

const failureTexts: Readonly<Record<FailureKind, string>> = {
  unreachable: 'cannot be reached',
  credentials: 'answers and refuses the login',
  'database-missing': 'answers, but the database of the service is missing',
  timeout: 'does not answer in time',
  'disk-full': 'has no free disk space',
  error: 'rejects the request',
};

/** Creates the finding for a store whose request failed. */
export const reportStoreFailure = (store: Store, error: unknown): Finding => {
  const kind = classifyFailure(error);
  return reportProblem(store, kind, { found: `${failureTexts[kind]}: ${describeFailure(error)}` });
};

const postgresVersion =
  "SELECT current_setting('server_version') AS version, current_setting('transaction_read_only') AS read_only";

/** For each store, a function that sends a request to the store and resolves with a description of its state. */
const storeProbes: Readonly<Record<Store, (dependencies: DiagnosticsDependencies) => Promise<string>>> = {
  'event-store': async ({ store }) => `answers; the log ends at ${await store.readHeadPosition()}`,
  async clickhouse({ writer }) {
    const [row] = await writer.rows<{ version: string }>('SELECT version() AS version', { timeoutMs: 3_000 });
    return `answers, version ${row?.version ?? 'unknown'}`;
  },
  async postgresql({ postgres }) {
    const { rows } = await postgres.query<{ version: string; read_only: string }>(postgresVersion);
    if (rows[0]?.read_only === 'on') throw new Error('the server is a standby, which accepts no writes');
    return `answers, version ${rows[0]?.version ?? 'unknown'}`;
  },
};

export const stores = Object.keys(storeProbes) as readonly Store[];

export const checkStore = async (dependencies: DiagnosticsDependencies, store: Store): Promise<readonly Finding[]> => {
  try {
    return [reportOk(store, { found: await storeProbes[store](dependencies) })];
  } catch (error) {
    return [reportStoreFailure(store, error)];
  }
};

/**
 * Checks NATS, which delivers notifications and the event feed. Nothing is lost while it is unavailable, and no other check
 * needs it.
 */
export const checkNats = async ({ bus }: Pick<DiagnosticsDependencies, 'bus'>): Promise<readonly Finding[]> => {
  if (!bus) return [reportOk('nats', { found: 'not used: NATS_URL is not set, so services follow the log' })];
  try {
    const { jetStream, streams, missing } = await bus();
    if (!jetStream)
      return [
        reportProblem('nats', 'no-jetstream', {
          found: 'the server runs without JetStream, so events are not published',
        }),
      ];
    if (missing.length > 0)
      return [reportProblem('nats', 'streams-missing', { found: `streams are missing: ${missing.join(', ')}` })];
    const found = streams.map(({ name, messages }) => `${name} holds ${messages} messages`).join(', ');
    return [reportOk('nats', { found })];
  } catch (error) {
    const kind = classifyFailure(error) === 'credentials' ? 'credentials' : 'unreachable';
    return [reportProblem('nats', kind, { found: `${failureTexts[kind]}: ${describeFailure(error)}` })];
  }
};

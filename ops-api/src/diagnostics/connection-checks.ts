import type { DiagnosticsDependencies, ServiceEndpoint } from './dependencies.ts';
import {
  classifyFailure,
  describeFailure,
  type Engine,
  failed,
  type FailureKind,
  type Finding,
  ok,
  warning,
} from './findings.ts';

interface EngineProbe {
  readonly engine: Engine;
  /** The environment variables with the address and the credentials. */
  readonly address: string;
  readonly credentials: string;
  /** Resolves with a description of the engine; rejects if it does not work. */
  readonly ask: () => Promise<string>;
}

const failureTexts: Readonly<Record<FailureKind, (engine: Engine, reason: string) => string>> = {
  credentials: (engine, reason) => `${engine} answers and refuses our login: ${reason}`,
  unreachable: (engine, reason) => `${engine} cannot be reached: ${reason}`,
  missing: (engine, reason) => `${engine} answers and has no database of ours: ${reason}`,
  silent: (engine, reason) => `${engine} does not answer in time: ${reason}`,
  full: (engine, reason) => `${engine} has no room left: ${reason}`,
  other: (engine, reason) => `${engine} refuses to work: ${reason}`,
};

const failureAdvice: Readonly<Record<FailureKind, (probe: EngineProbe) => string>> = {
  credentials: ({ credentials }) =>
    `Check ${credentials} of the projectors: user and password must be those the server knows.`,
  unreachable: ({ engine, address }) =>
    `Start ${engine}, or fix the connection to it; ${address} holds its address (embedded: restart the service).`,
  missing: ({ address }) => `Check the database in ${address}; a restored server may lack it.`,
  silent: ({ engine }) => `Look at the load and the disk of ${engine}: it is there and too slow.`,
  full: ({ engine }) =>
    `Make room on the disk of ${engine}; what was accepted is safe, and the service goes on by itself.`,
  other: ({ engine }) => `Look at the log of ${engine}.`,
};

const probeEngine = async (probe: EngineProbe): Promise<Finding> => {
  const { engine, ask } = probe;
  try {
    return ok(engine, await ask());
  } catch (error) {
    const trouble = classifyFailure(error);
    return failed(engine, failureTexts[trouble](engine, describeFailure(error)), failureAdvice[trouble](probe));
  }
};

const postgresVersion =
  "SELECT current_setting('server_version') AS version, current_setting('transaction_read_only') AS read_only";

export const engineChecks = ({
  store,
  writer,
  postgres,
}: DiagnosticsDependencies): readonly { readonly engine: Engine; readonly run: () => Promise<Finding> }[] => {
  const all: readonly EngineProbe[] = [
    {
      engine: 'event store',
      address: 'EVENTSTORE_URL',
      credentials: 'EVENTSTORE_URL',
      ask: async () => `answers; the log ends at ${await store.readHeadPosition()}`,
    },
    {
      engine: 'clickhouse',
      address: 'CLICKHOUSE_URL',
      credentials: 'CLICKHOUSE_USER and CLICKHOUSE_PASSWORD',
      async ask() {
        const [row] = await writer.rows<{ version: string }>('SELECT version() AS version', { timeoutMs: 3_000 });
        return `answers, version ${row?.version ?? 'unknown'}`;
      },
    },
    {
      engine: 'postgresql',
      address: 'DATABASE_URL',
      credentials: 'DATABASE_URL',
      async ask() {
        const { rows } = await postgres.query<{ version: string; read_only: string }>(postgresVersion);
        if (rows[0]?.read_only === 'on') throw new Error('the server only reads: it is a standby');
        return `answers, version ${rows[0]?.version ?? 'unknown'}`;
      },
    },
  ];
  return all.map((probe) => ({ engine: probe.engine, run: () => probeEngine(probe) }));
};

const natsCheck = 'nats';

const natsAdvice: Readonly<Partial<Record<FailureKind, string>>> = {
  credentials: 'Check user and password in NATS_URL.',
  unreachable:
    'Start nats-server, or fix the connection to it (NATS_URL). Until then the log wakes jobs, and nothing is lost.',
};

/** The bus carries wake-ups and a feed: while it is away nothing is lost, so nothing of it is worse than a warning but what is set up wrongly. */
export const checkNats = async ({ bus }: Pick<DiagnosticsDependencies, 'bus'>): Promise<readonly Finding[]> => {
  if (!bus) return [ok(natsCheck, 'not used: NATS_URL is not set, and the log does the waking')];
  try {
    const { jetStream, streams, missing } = await bus();
    if (!jetStream)
      return [
        failed(
          natsCheck,
          'the server runs without JetStream, so events are not published',
          'Start it with --jetstream and a --store_dir, or allow JetStream for the account.',
        ),
      ];
    if (missing.length > 0)
      return [
        warning(
          natsCheck,
          `streams are missing: ${missing.join(', ')}`,
          'The relay makes them with the next event; restart the projectors if they stay away.',
        ),
      ];
    return [
      ok(natsCheck, streams.map(({ name: stream, messages }) => `${stream} holds ${messages} messages`).join(', ')),
    ];
  } catch (error) {
    const trouble = classifyFailure(error);
    const text = trouble === 'credentials' ? 'nats refuses our login' : 'nats cannot be reached';
    return [failed(natsCheck, `${text}: ${describeFailure(error)}`, natsAdvice[trouble] ?? natsAdvice.unreachable!)];
  }
};

const serviceTimeoutMs = 3_000;

const messageOf = (text: string): string => {
  try {
    return (JSON.parse(text) as { message?: string }).message ?? text;
  } catch {
    return text;
  }
};

/** Whether another process of the service says that it is ready. */
export const checkService = async ({ name, url, variable }: ServiceEndpoint): Promise<readonly Finding[]> => {
  try {
    const answer = await fetch(new URL('/readyz', url), { signal: AbortSignal.timeout(serviceTimeoutMs) });
    const text = await answer.text();
    if (answer.ok) return [ok(name, `ready at ${url}`)];
    return [
      failed(
        name,
        `not ready at ${url}: ${messageOf(text).slice(0, 300)}`,
        'What it names must answer for it; the findings about engines say more. `objects` are uploaded files: DATA_DIR or the S3_ variables of that process.',
      ),
    ];
  } catch (error) {
    return [
      failed(
        name,
        `does not answer at ${url}: ${describeFailure(error)}`,
        `Start it, or set ${variable} of the projectors to where it is.`,
      ),
    ];
  }
};

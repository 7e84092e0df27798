import type { Engine } from './check.ts';
import type { DiagnosticsDependencies } from './doctor-parts.ts';
import { failed, type Finding, ok } from './finding.ts';
import { reasonOf, type Trouble, troubleOf } from './trouble.ts';

interface Asked {
  readonly engine: Engine;
  /** The variable that tells where it is, and the one with what is presented there. */
  readonly address: string;
  readonly credentials: string;
  /** Resolves with what is told of it. */
  readonly ask: () => Promise<string>;
}

const found: Readonly<Record<Trouble, (engine: Engine, reason: string) => string>> = {
  credentials: (engine, reason) => `${engine} answers and refuses our login: ${reason}`,
  unreachable: (engine, reason) => `${engine} cannot be reached: ${reason}`,
  missing: (engine, reason) => `${engine} answers and has no database of ours: ${reason}`,
  silent: (engine, reason) => `${engine} does not answer in time: ${reason}`,
  full: (engine, reason) => `${engine} has no room left: ${reason}`,
  other: (engine, reason) => `${engine} refuses to work: ${reason}`,
};

const advised: Readonly<Record<Trouble, (asked: Asked) => string>> = {
  credentials: ({ credentials }) =>
    `Check ${credentials} of the projectors: user and password must be those the server knows.`,
  unreachable: ({ engine, address }) =>
    `Start ${engine}, or mend the way to it; its address stands in ${address} (embedded: restart the service).`,
  missing: ({ address }) => `Check the database in ${address}; a restored server may lack it.`,
  silent: ({ engine }) => `Look at the load and the disk of ${engine}: it is there and too slow.`,
  full: ({ engine }) =>
    `Make room on the disk of ${engine}; what was accepted is safe, and the service goes on by itself.`,
  other: ({ engine }) => `Look at the log of ${engine}.`,
};

const look = async (asked: Asked): Promise<Finding> => {
  const { engine, ask } = asked;
  try {
    return ok(engine, await ask());
  } catch (error) {
    const trouble = troubleOf(error);
    return failed(engine, found[trouble](engine, reasonOf(error)), advised[trouble](asked));
  }
};

const postgresVersion =
  "SELECT current_setting('server_version') AS version, current_setting('transaction_read_only') AS read_only";

export const engineChecks = ({
  store,
  writer,
  postgres,
}: DiagnosticsDependencies): readonly { readonly engine: Engine; readonly look: () => Promise<Finding> }[] => {
  const all: readonly Asked[] = [
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
  return all.map((asked) => ({ engine: asked.engine, look: () => look(asked) }));
};

import { join } from 'node:path';
import { SERVICE_DATABASE } from '../clickhouse/engine-config.ts';
import { clickHouseProcess } from '../clickhouse/settings.ts';
import { eventStoreEntry } from '../event-store/node.ts';
import { startPostgres } from '../postgres/server.ts';
import type { ProcessLine } from '../supervisor/child-process.ts';
import { startSupervisedProcess } from '../supervisor/supervised-process.ts';
import type { StartConfig } from './config.ts';
import type { EnginePorts } from './ports.ts';
import { type ProcessGroup, stopTimeoutsMs } from './process-group.ts';
import type { Secrets } from './secrets.ts';

export interface Engines {
  readonly eventStoreUrl: string;
  readonly databaseUrl: string;
  readonly clickHouseUrl: string;
  /** Undefined for an external ClickHouse, because its address for analysts is unknown. */
  readonly analystsUrl?: string | undefined;
  readonly writer: { readonly user: string; readonly password: string };
  readonly reader: { readonly user: string; readonly password: string };
}

export const startEngines = async (
  config: StartConfig,
  ports: EnginePorts,
  secrets: Secrets,
  processes: ProcessGroup,
): Promise<Engines> => {
  const starts = [
    startEventStore(config, ports.EMBEDDED_EVENTSTORE_PORT, processes),
    startDatabase(config, ports.EMBEDDED_POSTGRES_PORT, secrets, processes),
    startClickHouse(config, ports, secrets, processes),
  ] as const;
  const [eventStoreUrl, databaseUrl, clickHouse] = await Promise.all(starts);
  return { eventStoreUrl, databaseUrl, ...clickHouse };
};

const startEventStore = async (config: StartConfig, port: number, processes: ProcessGroup): Promise<string> => {
  if (config.EVENTSTORE_URL) return config.EVENTSTORE_URL.reveal();
  await processes.add((signal) =>
    startSupervisedProcess({
      name: 'event-store',
      signal,
      stopTimeoutMs: stopTimeoutsMs.engine,
      run: { entry: eventStoreEntry },
      env: { EVENT_STORE_DIR: join(config.DATA_DIR, 'event-store'), EVENT_STORE_PORT: String(port) },
      ready: 'json-line',
      onLine: processes.printLine,
    }),
  );
  return `esdb://127.0.0.1:${port}?tls=false`;
};

const startDatabase = async (
  config: StartConfig,
  port: number,
  secrets: Secrets,
  processes: ProcessGroup,
): Promise<string> => {
  if (config.DATABASE_URL) return config.DATABASE_URL.reveal();
  const { url } = await processes.add((signal) =>
    startPostgres({
      signal,
      stopTimeoutMs: stopTimeoutsMs.engine,
      dataDir: join(config.DATA_DIR, 'postgres'),
      port,
      password: secrets.postgres,
      onLine: dropRoutineLines(limitLines(processes.printLine)),
    }),
  );
  return url;
};

const startClickHouse = async (
  config: StartConfig,
  { EMBEDDED_CLICKHOUSE_PORT: port, EMBEDDED_ANALYSTS_PORT: analystsPort }: EnginePorts,
  secrets: Secrets,
  processes: ProcessGroup,
): Promise<Omit<Engines, 'eventStoreUrl' | 'databaseUrl'>> => {
  if (config.CLICKHOUSE_URL !== undefined) {
    const user = { user: config.CLICKHOUSE_USER!, password: config.CLICKHOUSE_PASSWORD!.reveal() };
    return { clickHouseUrl: config.CLICKHOUSE_URL, writer: user, reader: user };
  }
  const { clickhouseWriter, clickhouseReader, clickhouseAnalyst } = secrets;
  const options = clickHouseProcess({
    dir: join(config.DATA_DIR, 'clickhouse'),
    port,
    analystsPort,
    users: [
      { name: 'popsvc_writer', password: clickhouseWriter, role: 'writer' },
      { name: 'popsvc_reader', password: clickhouseReader, role: 'reader' },
      { name: 'analyst', password: clickhouseAnalyst, role: 'analyst' },
    ],
  });
  await processes.add((signal) =>
    startSupervisedProcess({
      ...options,
      signal,
      stopTimeoutMs: stopTimeoutsMs.engine,
      onLine: dropRoutineLines(limitLines(processes.printLine)),
    }),
  );
  return {
    clickHouseUrl: `http://127.0.0.1:${port}/${SERVICE_DATABASE}`,
    analystsUrl: `http://127.0.0.1:${analystsPort}`,
    writer: { user: 'popsvc_writer', password: clickhouseWriter },
    reader: { user: 'popsvc_reader', password: clickhouseReader },
  };
};

/** Lines that PostgreSQL and ClickHouse print in normal operation. */
const routineLines = [
  / LOG: {2}/,
  /Logging warning to/,
  /QUERY_WAS_CANCELLED/,
  // PostgreSQL's response to each connection attempt before it is ready.
  /FATAL: {2}the database system is (?:starting up|not yet accepting connections|in recovery mode)/,
  /DETAIL: {2}Consistent recovery state has not been yet reached/,
];
/** PostgreSQL prints this line once when it starts after a kill or a power failure. */
const recoveryLine = 'database system was not properly shut down';

export const dropRoutineLines =
  (printLine: (line: ProcessLine) => void) =>
  (line: ProcessLine): void => {
    if (line.text.includes(recoveryLine))
      printLine({ ...line, text: 'was not shut down cleanly; recovering its last writes' });
    else if (!routineLines.some((pattern) => pattern.test(line.text))) printLine(line);
  };

const maxLinesPerMinute = 200;

/** On a full disk, ClickHouse prints a stack for each line that it cannot log: the output would fill the disk that holds it. */
export const limitLines = (printLine: (line: ProcessLine) => void): ((line: ProcessLine) => void) => {
  let [minute, printed, omitted] = [0, 0, 0];
  return (line) => {
    const now = Math.floor(Date.now() / 60_000);
    if (now !== minute) {
      const text = `printed ${omitted} more lines, which are left out: at most ${maxLinesPerMinute} a minute are shown`;
      if (omitted > 0) printLine({ ...line, from: 'supervisor', text });
      [minute, printed, omitted] = [now, 0, 0];
    }
    if (printed < maxLinesPerMinute) {
      printed += 1;
      printLine(line);
    } else omitted += 1;
  };
};

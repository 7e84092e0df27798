import { createAuthenticator, createEndedSessions, operatorSessions } from '@popsvc/platform/auth';
import type { Secret } from '@popsvc/platform/config';
import type { EventStore } from '@popsvc/platform/event-store';
import { createServer, type HttpServer } from '@popsvc/platform/http';
import type { Reader, Writer } from '@popsvc/platform/clickhouse';
import type { Records } from '@popsvc/platform/postgres';
import type { Log, Registry } from '@popsvc/platform/runtime';
import { analystLogins } from '../analysts/index.ts';
import { consoleRoutes } from '../console/index.ts';
import { type DoctorParts, examine, opsRoutes, standingsOf } from '../ops/index.ts';
import type { Board, Standing } from '../run/board.ts';
import { knownZones } from '../run/known-zones.ts';
import { opsDescription } from './description.ts';

export interface OpsServerParts {
  readonly store: EventStore;
  readonly writer: Writer;
  readonly reader: Reader;
  readonly records: Records;
  readonly board: Board;
  /** What doctor looks at beyond the stores. */
  readonly around: Pick<DoctorParts, 'bus' | 'folders' | 'neighbours'>;
  /** The folder into which the operators' page was built. */
  readonly consoleFolder: string;
  /** ClickHouse as analysts reach it. */
  readonly analystsUrl: string;
  readonly operatorToken: Secret;
  readonly metrics: Registry;
  readonly log: Log;
}

/** What operators ask of a running service, under `/ops/v1`. */
export const createOpsServer = (parts: OpsServerParts): HttpServer => {
  const { store, writer, reader, records, board, around, consoleFolder, operatorToken, metrics, log, analystsUrl } =
    parts;
  const ended = createEndedSessions(records, { log });
  const sessions = operatorSessions(operatorToken, { ended });
  const stop = new AbortController();
  const server = createServer({
    routes: [
      ...opsRoutes({
        store,
        reader,
        records,
        log,
        analysts: analystLogins(writer, records),
        analystsUrl,
        projections: standingsOf(store, records),
        knownZones: () => knownZones(writer),
        sessions,
        stopping: stop.signal,
        examine: () => examine({ store, writer, reader, records, board, ...around }),
      }),
      ...consoleRoutes(consoleFolder, log),
    ],
    description: opsDescription,
    authenticate: createAuthenticator({ operatorToken, sessions }),
    log,
    checks: {
      'event store': () => store.ping(),
      clickhouse: () => writer.ping(),
      postgresql: () => records.query('SELECT 1'),
      projections: () => everyoneRuns(board),
    },
    metrics,
  });
  return {
    ...server,
    close() {
      // What is followed would never end by itself.
      stop.abort();
      ended.stop();
      return server.close();
    },
  };
};

/** Ready once every projection has written a batch since the start, or waits for its turn; whether the bus is there or not. */
const everyoneRuns = ({ standings }: Board): Promise<void> => {
  const isLate = ({ state, isNeeded }: Standing) => isNeeded && (state === 'starting' || state === 'failing');
  const late = standings.filter(isLate).map(({ name }) => name);
  return late.length === 0 ? Promise.resolve() : Promise.reject(new Error(`not running: ${late.join(', ')}`));
};

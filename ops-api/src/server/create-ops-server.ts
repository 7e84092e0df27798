import { createAuthenticator, createEndedSessions, operatorSessions } from '@popsvc/platform/auth';
import type { Secret } from '@popsvc/platform/config';
import type { EventStore } from '@popsvc/platform/event-store';
import { createServer, type HttpServer } from '@popsvc/platform/http';
import { knownZones, type Reader, type Writer } from '@popsvc/platform/clickhouse';
import type { Records } from '@popsvc/platform/postgres';
import type { ProjectionDeclaration } from '@popsvc/read-models/generations';
import type { Log, Registry } from '@popsvc/platform/runtime';
import { analystLogins } from '../analysts/index.ts';
import { type DoctorParts, examine, type RunningProjection, type RunningProjections } from '../diagnostics/index.ts';
import { type Follower, standingsOf } from '../projections/standings.query.ts';
import { consoleRoutes } from './console.routes.ts';
import { opsDescription } from './description.ts';
import { opsRoutes } from './routes.ts';

export interface OpsServerParts {
  readonly store: EventStore;
  readonly writer: Writer;
  readonly reader: Reader;
  readonly records: Records;
  /** The projections of this process. */
  readonly board: RunningProjections;
  readonly declarations: readonly ProjectionDeclaration[];
  readonly followers: readonly Follower[];
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
  const { store, writer, reader, records, board, declarations, followers, around } = parts;
  const { consoleFolder, operatorToken, metrics, log, analystsUrl } = parts;
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
        declarations,
        projections: standingsOf({ store, records, declarations, followers }),
        knownZones: () => knownZones(writer),
        sessions,
        stopping: stop.signal,
        examine: () => examine({ store, writer, reader, records, board, declarations, ...around }),
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
const everyoneRuns = ({ standings }: RunningProjections): Promise<void> => {
  const isLate = ({ state, isNeeded }: RunningProjection) => isNeeded && (state === 'starting' || state === 'failing');
  const late = standings.filter(isLate).map(({ name }) => name);
  return late.length === 0 ? Promise.resolve() : Promise.reject(new Error(`not running: ${late.join(', ')}`));
};

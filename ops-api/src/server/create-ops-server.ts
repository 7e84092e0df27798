import { createAuthenticator, startEndedSessions, createOperatorSessions } from '@popsvc/platform/auth';
import type { Secret } from '@popsvc/platform/config';
import type { EventStore } from '@popsvc/platform/event-store';
import { createServer, type HttpServer } from '@popsvc/platform/http';
import { readTimeZones, type ClickHouseReader, type ClickHouseWriter } from '@popsvc/platform/clickhouse';
import type { Postgres } from '@popsvc/platform/postgres';
import {
  createDamageReporter,
  type ProjectionDeclaration,
  rejectUnreadableTables,
} from '@popsvc/read-models/generations';
import type { Log, Registry } from '@popsvc/platform/telemetry';
import { createAnalystLogins } from '../analysts/index.ts';
import type { DiagnosticsDependencies, RunningProjection } from '../diagnostics/dependencies.ts';
import { createReadinessChecks } from '../diagnostics/readiness.ts';
import { runDiagnostics } from '../diagnostics/run-diagnostics.ts';
import { type Follower, createProjectionReader } from '../projections/read-projections.ts';
import { consoleRoutes } from './console-files.ts';
import { opsDescription } from './description.ts';
import { opsRoutes } from './routes.ts';

export interface OpsServerDependencies {
  readonly store: EventStore;
  readonly writer: ClickHouseWriter;
  readonly reader: ClickHouseReader;
  readonly postgres: Postgres;
  readonly listRunningProjections: () => readonly RunningProjection[];
  readonly declarations: readonly ProjectionDeclaration[];
  readonly followers: readonly Follower[];
  /** What the diagnostics check in addition to the stores and projections: NATS, folders and other processes. */
  readonly around: Pick<DiagnosticsDependencies, 'bus' | 'folders' | 'services'>;
  /** The folder with the built console. */
  readonly consoleFolder: string;
  /** The URL that analysts use to reach ClickHouse. */
  readonly analystsUrl: string;
  readonly operatorToken: Secret;
  readonly metrics: Registry;
  readonly log: Log;
}

/** Creates the operations server, which serves `/ops/v1` and the console. */
export const createOpsServer = (dependencies: OpsServerDependencies): HttpServer => {
  const { store, writer, reader, postgres, listRunningProjections, declarations, followers, around } = dependencies;
  const { consoleFolder, operatorToken, metrics, log, analystsUrl } = dependencies;
  const ended = startEndedSessions(postgres, { log });
  const sessions = createOperatorSessions(operatorToken, { ended });
  const stop = new AbortController();
  const server = createServer({
    routes: [
      ...opsRoutes({
        store,
        reader: rejectUnreadableTables(reader, createDamageReporter(postgres, log)),
        postgres,
        log,
        analystLogins: createAnalystLogins(writer, postgres),
        analystsUrl,
        declarations,
        readProjections: createProjectionReader({ store, postgres, declarations, followers }),
        readTimeZones: () => readTimeZones(writer),
        sessions,
        stopping: stop.signal,
        runDiagnostics: () =>
          runDiagnostics({ store, writer, reader, postgres, listRunningProjections, declarations, ...around }),
      }),
      ...consoleRoutes(consoleFolder, log),
    ],
    description: opsDescription,
    authenticate: createAuthenticator({ operatorToken, sessions }),
    log,
    checks: createReadinessChecks({ store, writer, postgres, listRunningProjections }),
    metrics,
  });
  return {
    ...server,
    close() {
      // The signal ends open event streams, which do not end by themselves.
      stop.abort();
      ended.stop();
      return server.close();
    },
  };
};

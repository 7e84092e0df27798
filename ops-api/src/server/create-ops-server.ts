import {
  createAuthenticator,
  createOidcSignIn,
  type OidcOptions,
  startAccountWatch,
  startEndedSessions,
  createOperatorSessions,
} from '@popsvc/http-kit/auth';
import type { Secret } from '@popsvc/platform/config';
import type { EventStore } from '@popsvc/platform/event-store';
import { createServer, type HttpServer } from '@popsvc/http-kit/server';
import type { ClickHouseReader } from '@popsvc/platform/clickhouse';
import type { Postgres, SecretSealer } from '@popsvc/platform/postgres';
import type { AddressRange } from '@popsvc/platform/webhook-requests';
import { createDamageReporter, readReplicaStates, rejectUnreadableTables } from '@popsvc/read-models/generations';
import type { Log, Registry } from '@popsvc/platform/telemetry';
import { createAnalystLogins } from '../analysts/logins.ts';
import type { CheckedShard, DiagnosticsDependencies, RunningProjection } from '../diagnostics/dependencies.ts';
import { createReadinessChecks } from '../diagnostics/readiness.ts';
import type { FleetThresholds } from '../fleet/find-fleet-problems.ts';
import { createFleetWatch } from '../fleet/fleet-watch.ts';
import { createRegistryLog } from '../registry/registry-log.ts';
import { runDiagnostics } from '../diagnostics/run-diagnostics.ts';
import { type Follower, createProjectionReader } from '../projections/read-projections.ts';
import { consoleRoutes } from './console-files.ts';
import { opsDescription } from './description.ts';
import { opsRoutes } from './routes.ts';
import { createWrongTokenLimiter } from '../session/routes.ts';
import { nameShardsAway } from '../requests/shards-away.ts';

export interface OpsServerDependencies {
  readonly store: EventStore;
  readonly shards: readonly CheckedShard[];
  /** Reads the rows of all shards. */
  readonly reader: ClickHouseReader;
  readonly postgres: Postgres;
  readonly secretSealer: SecretSealer;
  readonly listRunningProjections: () => readonly RunningProjection[];
  readonly followers: readonly Follower[];
  /** Dependencies of the diagnostics other than stores and projections. */
  readonly around: Pick<DiagnosticsDependencies, 'bus' | 'requireSyncStandby' | 'folders' | 'services'>;
  readonly consoleFolder: string;
  readonly fleetThresholds: FleetThresholds;
  /** Internal addresses to which webhooks may be sent. */
  readonly openedAddresses: readonly AddressRange[];
  readonly analystsUrl: string;
  readonly operatorToken: Secret;
  /** Origins of the console as browsers see it, such as `https://ops.example.com`. */
  readonly consoleOrigins?: readonly string[] | undefined;
  readonly oidc?: OidcOptions | undefined;
  readonly metrics: Registry;
  readonly log: Log;
}

export const createOpsServer = (dependencies: OpsServerDependencies): HttpServer => {
  const { store, shards, reader, postgres, listRunningProjections, followers, around } = dependencies;
  const writers = shards.map(({ writer }) => writer);
  const declarations = shards.flatMap((shard) => shard.declarations);
  const { secretSealer, consoleFolder, operatorToken, metrics, log, analystsUrl, openedAddresses } = dependencies;
  const shardReaders = shards.map(({ writer: { shard }, reader: unchecked }) => ({
    shard,
    reader: rejectUnreadableTables(unchecked, createDamageReporter(postgres, log, [shard])),
  }));
  const allShardsReader = rejectUnreadableTables(
    reader,
    createDamageReporter(
      postgres,
      log,
      writers.map(({ shard }) => shard),
    ),
  );
  const registryLog = createRegistryLog(store, log);
  const thresholds = dependencies.fleetThresholds;
  const fleet = createFleetWatch({ shards: shardReaders, postgres, registryLog, thresholds, metrics, log });
  const ended = startEndedSessions(postgres, { log });
  const accounts = startAccountWatch(postgres, { log });
  const { consoleOrigins } = dependencies;
  const sessions = createOperatorSessions(operatorToken, { ended, accounts, consoleOrigins });
  const wrongTokens = createWrongTokenLimiter();
  const server = createServer({
    routes: [
      ...opsRoutes({
        store,
        registryLog,
        fleet,
        shards: shardReaders,
        reader: nameShardsAway(allShardsReader, shardReaders),
        postgres,
        secretSealer,
        log,
        analystLogins: createAnalystLogins(writers, { postgres, log }),
        analystsUrl,
        openedAddresses,
        declarations,
        shardCount: shards.length,
        readProjections: createProjectionReader({ store, postgres, declarations, followers }),
        readReplicas: () => readReplicaStates(writers),
        sessions,
        wrongTokens,
        oidc: dependencies.oidc && createOidcSignIn(dependencies.oidc, log),
        accounts,
        async runDiagnostics() {
          const checks = [
            runDiagnostics({ store, shards, postgres, secretSealer, listRunningProjections, ...around }),
            fleet.report(),
          ];
          return (await Promise.all(checks)).flat();
        },
      }),
      ...consoleRoutes(consoleFolder, log),
    ],
    description: opsDescription,
    authenticate: createAuthenticator({ operatorToken, sessions }),
    wrongCredentials: wrongTokens,
    log,
    checks: createReadinessChecks({ store, shards, postgres, listRunningProjections }),
    metrics,
  });
  return {
    ...server,
    close() {
      ended.stop();
      accounts.stop();
      return server.close();
    },
  };
};

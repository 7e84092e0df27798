import type { ReadinessChecks } from '@popsvc/contracts/diagnostics';
import type { Secret } from '@popsvc/platform/config';
import type { EventStore } from '@popsvc/platform/event-store';
import { createRateLimits, createServer, type HttpServer, type ServerLimits } from '@popsvc/http-kit/server';
import { type Authenticate, rejectRetiredSenders } from '@popsvc/http-kit/auth';
import { createUploadUrls, type ExternalObjectStore, type ReceivingObjectStore } from '@popsvc/platform/object-storage';
import type { Postgres } from '@popsvc/platform/postgres';
import { type Clock, systemClock } from '@popsvc/platform/runtime';
import type { Log, Registry } from '@popsvc/platform/telemetry';
import { createUploadMetrics } from '../bulk/metrics.ts';
import { uploadsPath } from '../bulk/receive-upload.route.ts';
import { startUploadLifecycle } from '../bulk/upload-lifecycle.ts';
import { createAppender } from '../intake/appender.ts';
import { createEventStoreCircuit } from '../intake/event-store-circuit.ts';
import { createIntakeMetrics, withMinuteCounts } from '../intake/metrics.ts';
import { createMinuteCounts, startMinuteCountWriter } from '../intake/minute-counts.ts';
import { createRefusalCounts, startRefusalCountWriter } from '../intake/refusal-counts.ts';
import { defaultIntakeTimeouts, type IntakeTimeouts } from '../intake/timeouts.ts';
import { createWarningFinder } from '../pop/play-warnings.ts';
import { createMappingTrial } from '../pop/mapping-trial.ts';
import { createQueryApiProxy } from '../query-api/query-api-proxy.ts';
import { createIdCheck } from '../registry/id-check.ts';
import { createRetiredSenders, startRegistryCache } from '../registry/registry-cache.ts';
import { allRoutes, commandApiDescription } from './routes.ts';

export interface CommandApiDependencies {
  readonly store: EventStore;
  readonly postgres: Postgres;
  /** Requests without an Idempotency-Key use only this pool. */
  readonly postgresOfCredentials: Postgres;
  readonly authenticate: Authenticate;
  readonly log: Log;
  readonly metrics: Registry;
  readonly queryApiUrl: string;
  readonly clock?: Clock;
  /**
   * Maximum age at receipt; undefined means no limit. Older dynamic plays and bulk rows stay in quarantine; other older events are
   * rejected.
   */
  readonly maxAgeDays?: number | undefined;
  readonly limits?: Partial<ServerLimits>;
  readonly timeouts?: Partial<IntakeTimeouts>;
  /** Ms on a monotonic clock. */
  readonly rateClock?: () => number;
  /** Origins whose pages may read responses. Default: none. */
  readonly allowedOrigins?: readonly string[] | undefined;
  readonly objects: ReceivingObjectStore | ExternalObjectStore;
  readonly uploads: UploadSettings;
  /** Whether this process runs the background tasks for uploads, such as removing files. Default: no. */
  readonly runsUploadLifecycle?: boolean;
}

export interface UploadSettings {
  /** Keys of upload URLs. The first signs new URLs; URLs signed with any of them are accepted. */
  readonly secrets: readonly Secret[];
  /** URL by which vendors reach this service. Default: localhost with its port. */
  readonly publicUrl?: string | undefined;
  readonly maxBytes: number;
}

/** `close` stops the server and its background work, but leaves the stores in `dependencies` open. */
export const createCommandApi = (
  dependencies: CommandApiDependencies,
): Pick<HttpServer, 'listen' | 'close' | 'node'> => {
  const {
    store,
    postgres,
    postgresOfCredentials,
    authenticate,
    log,
    metrics,
    clock = systemClock,
    maxAgeDays,
    limits,
    rateClock,
    queryApiUrl,
    objects,
    uploads,
    runsUploadLifecycle = false,
  } = dependencies;
  const registryCache = startRegistryCache(store, log);
  const timeouts = { ...defaultIntakeTimeouts, ...dependencies.timeouts };
  const circuit = createEventStoreCircuit(store, timeouts);
  const intakeMetrics = createIntakeMetrics(metrics);
  const minuteCounts = createMinuteCounts(clock);
  const stopMinuteCounts = startMinuteCountWriter(minuteCounts, postgres, log);
  const refusalCounts = createRefusalCounts(clock);
  const stopRefusalCounts = startRefusalCountWriter(refusalCounts, postgres, log);
  const queryApi = createQueryApiProxy(queryApiUrl);
  const intake = {
    store,
    postgres,
    clock,
    maxAgeDays,
    metrics: withMinuteCounts(intakeMetrics, minuteCounts),
    countRefusal: refusalCounts.countRefusal,
    circuit,
    timeouts,
    appender: createAppender(store, circuit, intakeMetrics, timeouts),
  };
  let listeningPort = 0;
  const urls = createUploadUrls({
    secrets: uploads.secrets,
    publicUrl: () => uploads.publicUrl ?? `http://localhost:${listeningPort}`,
    path: uploadsPath,
  });
  const bulk = {
    ...{ store, circuit, postgres, clock, timeouts, log, maxAgeDays },
    storage: objects.kind === 'disk' ? { objects, urls } : { objects },
    metrics: createUploadMetrics(metrics),
    maxUploadBytes: uploads.maxBytes,
  };
  const uploadLifecycle = runsUploadLifecycle ? startUploadLifecycle(bulk) : undefined;
  const checkIds = createIdCheck(registryCache, store, timeouts);
  const findWarnings = createWarningFinder(registryCache, intakeMetrics);
  const server = createServer({
    routes: allRoutes({
      ...{ intake, bulk, checkIds, findWarnings, forwardToQueryApi: queryApi.forward },
      tryMapping: createMappingTrial(registryCache, maxAgeDays),
    }),
    description: commandApiDescription,
    authenticate: rejectRetiredSenders(authenticate, createRetiredSenders(registryCache.registry)),
    log,
    metrics,
    rates: createRateLimits(metrics, { units: ['requests', 'events'], ...(rateClock && { now: rateClock }) }),
    checks: {
      'event-store': () => store.ping(),
      postgresql: () => postgresOfCredentials.query('SELECT 1'),
      registry: () => registryCache.requireReady(),
      objects: () => objects.ping(),
    } satisfies ReadinessChecks<'command-api'>,
    allowedOrigins: dependencies.allowedOrigins,
    ...(limits && { limits }),
  });
  return {
    node: server.node,
    async listen(options) {
      listeningPort = await server.listen(options);
      return listeningPort;
    },
    async close() {
      await server.close();
      await uploadLifecycle?.stop();
      await Promise.all([stopMinuteCounts(), stopRefusalCounts()]);
      registryCache.stop();
      circuit.stop();
      queryApi.close();
    },
  };
};

import type { ReadinessChecks } from '@popsvc/contracts/diagnostics';
import { createApiKeyVerifier, createAuthenticator, type RevocationWatch } from '@popsvc/platform/auth';
import {
  createBuiltInTokenProvider,
  createExternalTokenVerifier,
  type ExternalIdentityProvider,
} from '@popsvc/platform/auth/tokens';
import { type ClickHouseReader, measureReader, readerMetrics } from '@popsvc/platform/clickhouse';
import type { Secret } from '@popsvc/platform/config';
import {
  createCallerSlots,
  createRateLimits,
  createServer,
  type HttpServer,
  type SlotLimits,
} from '@popsvc/platform/http';
import type { Postgres } from '@popsvc/platform/postgres';
import { type Clock, systemClock } from '@popsvc/platform/runtime';
import type { Log, Registry } from '@popsvc/platform/telemetry';
import { createDamageReporter, rejectUnreadableTables } from '@popsvc/read-models/generations';
import { createGenerationPinning, createProgressReader } from '../generations/live-generations.ts';
import { createRowCounter } from '../reports/row-counts.ts';
import { createScope } from '../scope/scope.ts';
import { allRoutes, queryApiDescription } from './routes.ts';
import { createReadModelsCheck } from './read-models-check.ts';
import { createSchemaCheck } from './schema-check.ts';

export interface QueryApiDependencies {
  readonly reader: ClickHouseReader;
  readonly postgres: Postgres;
  readonly watch: RevocationWatch;
  readonly log: Log;
  readonly metrics: Registry;
  /** The external identity provider. If undefined, the built-in provider issues the tokens. */
  readonly provider?: ExternalIdentityProvider | undefined;
  readonly operatorToken?: Secret | undefined;
  readonly downloads?: SlotLimits;
  readonly clock?: Clock;
}

const defaultDownloadLimits: SlotLimits = { perCaller: 4, total: 24 };

/** Lower than in other services, because a page of several megabytes stays in memory until the caller has read it. */
const serverLimits = { requestsInFlight: 160 };

/** Creates the HTTP server of query-api. */
export const createQueryApi = (dependencies: QueryApiDependencies): HttpServer => {
  const { postgres, watch, log, metrics, provider, operatorToken, clock = systemClock } = dependencies;
  const measured = measureReader(dependencies.reader, readerMetrics(metrics));
  const reader = rejectUnreadableTables(measured, createDamageReporter(postgres, log));
  const builtInProvider = provider ? undefined : createBuiltInTokenProvider(postgres, watch);
  const readProgress = createProgressReader(reader, log);
  return createServer({
    routes: allRoutes({
      reader,
      postgres,
      tokens: builtInProvider,
      scope: createScope(reader),
      readProgress,
      pinGenerations: createGenerationPinning(readProgress),
      clock,
      rowCounter: createRowCounter(reader),
      acquireDownloadSlot: createCallerSlots(dependencies.downloads ?? defaultDownloadLimits, 'downloads'),
    }),
    description: queryApiDescription,
    authenticate: createAuthenticator({
      apiKeys: createApiKeyVerifier(postgres, watch),
      tokens: provider ? createExternalTokenVerifier(provider, watch) : builtInProvider,
      operatorToken,
    }),
    checks: {
      clickhouse: () => reader.ping(),
      postgresql: () => postgres.query('SELECT 1'),
      schema: createSchemaCheck(dependencies.reader),
      'read-models': createReadModelsCheck(dependencies.reader),
    } satisfies ReadinessChecks<'query-api'>,
    log,
    metrics,
    limits: serverLimits,
    rates: createRateLimits(metrics, { units: ['requests'] }),
  });
};

import type { ReadinessChecks } from '@popsvc/contracts/diagnostics';
import { createApiKeyVerifier, createAuthenticator, type RevocationWatch } from '@popsvc/platform/auth';
import {
  createBuiltInTokenProvider,
  type ExternalIdentityProvider,
  createExternalTokenVerifier,
} from '@popsvc/platform/auth/tokens';
import type { Secret } from '@popsvc/platform/config';
import { createServer, type HttpServer, createRateLimits } from '@popsvc/platform/http';
import { measureReader, type ClickHouseReader, readerMetrics } from '@popsvc/platform/clickhouse';
import type { Postgres } from '@popsvc/platform/postgres';
import { type Clock, systemClock } from '@popsvc/platform/runtime';
import { type Log, type Registry } from '@popsvc/platform/telemetry';
import { exceptLacking, pinned, progressOf, type SlotLimits, slots } from '../reports/index.ts';
import { routes } from '../routes/all.ts';
import { knownPlaces, scope } from '../scope/index.ts';
import { totals } from '../totals/index.ts';
import { queryApiDescription } from './description.ts';
import { schemaCheck } from './schema-check.ts';

export interface QueryApiParts {
  readonly reader: ClickHouseReader;
  readonly postgres: Postgres;
  readonly watch: RevocationWatch;
  readonly log: Log;
  readonly metrics: Registry;
  /** Undefined: the built-in identity provider. */
  readonly provider?: ExternalIdentityProvider | undefined;
  readonly operatorToken?: Secret | undefined;
  readonly downloads?: SlotLimits;
  readonly clock?: Clock;
}

const standardDownloads: SlotLimits = { each: 4, together: 24 };

/** A page may be megabytes and is held until its reader has it, so fewer are served at a time than elsewhere. */
const limits = { requestsInFlight: 160 };

/** The reporting service: parts in, server out. */
export const createQueryApi = (parts: QueryApiParts): HttpServer => {
  const { postgres, watch, log, metrics, provider, operatorToken } = parts;
  const reader = exceptLacking(measureReader(parts.reader, readerMetrics(metrics)));
  const builtIn = provider ? undefined : createBuiltInTokenProvider(postgres, watch);
  const progress = progressOf(reader, log);
  return createServer({
    routes: routes({
      reader,
      postgres,
      tokens: builtIn,
      scope: scope(knownPlaces(reader)),
      progress,
      pinned: pinned(progress),
      clock: parts.clock ?? systemClock,
      totals: totals(reader),
      enter: slots(parts.downloads ?? standardDownloads),
    }),
    description: queryApiDescription,
    authenticate: createAuthenticator({
      apiKeys: createApiKeyVerifier(postgres, watch),
      tokens: provider ? createExternalTokenVerifier(provider, watch) : builtIn,
      operatorToken,
    }),
    checks: {
      clickhouse: () => reader.ping(),
      postgresql: () => postgres.query('SELECT 1'),
      schema: schemaCheck(reader),
    } satisfies ReadinessChecks<'query-api'>,
    log,
    metrics,
    limits,
    rates: createRateLimits(metrics, { units: ['requests'] }),
  });
};

import type { ReadinessChecks } from '@popsvc/contracts/diagnostics';
import { findShard } from '@popsvc/domain/partitioning';
import {
  createApiKeyVerifier,
  createAuthenticator,
  rejectRetiredSenders,
  type RevocationWatch,
} from '@popsvc/http-kit/auth';
import {
  createBuiltInTokenProvider,
  createExternalTokenVerifier,
  type ExternalIdentityProvider,
} from '@popsvc/http-kit/auth/tokens';
import { type ClickHouseReader, measureReader, readerMetrics, type ShardReader } from '@popsvc/platform/clickhouse';
import type { Secret } from '@popsvc/platform/config';
import {
  createCallerSlots,
  createRateLimits,
  createServer,
  type HttpServer,
  type LedgerLimits,
} from '@popsvc/http-kit/server';
import type { Postgres, SecretSealer } from '@popsvc/platform/postgres';
import { type Clock, systemClock } from '@popsvc/platform/runtime';
import type { AddressRange } from '@popsvc/platform/webhook-requests';
import type { Log, Registry } from '@popsvc/platform/telemetry';
import { checkShards, createDamageReporter, rejectUnreadableTables } from '@popsvc/read-models/generations';
import { createGenerationPinning } from '../generations/live-generations.ts';
import { createProgressReader } from '../generations/progress-reader.ts';
import { createNameRenderer } from '../reports/names.ts';
import type { ReportShard } from '../reports/page.route.ts';
import { createRowCounter } from '../reports/row-counts.ts';
import { createRetiredSenders } from '../scope/retired-senders.ts';
import { createScope } from '../scope/scope.ts';
import { createRegistryReader } from '../shards/shards.ts';
import { allRoutes, queryApiDescription } from './routes.ts';
import { createReadModelsCheck, createSchemaCheck } from './readiness-checks.ts';

export interface QueryApiDependencies {
  readonly shards: readonly ShardReader[];
  readonly postgres: Postgres;
  readonly secretSealer: SecretSealer;
  readonly watch: RevocationWatch;
  readonly log: Log;
  readonly metrics: Registry;
  /** If undefined, the built-in provider issues the tokens. */
  readonly provider?: ExternalIdentityProvider | undefined;
  readonly operatorToken?: Secret | undefined;
  /** Origins whose pages may read responses. Default: none. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Ranges of internal addresses to which webhooks may post. Default: none. */
  readonly openedAddresses?: readonly AddressRange[];
  readonly downloads?: LedgerLimits;
  readonly comparisons?: LedgerLimits;
  readonly clock?: Clock;
  /** Ms on a monotonic clock. */
  readonly rateClock?: () => number;
  /** Days for which rows of reports are kept after they are replaced or deleted. Default: 35. */
  readonly historyDays?: number;
  /** How long a request waits for a network that the read model lacks. */
  readonly registrationTimeoutMs?: number;
}

const defaultHistoryDays = 35;
const defaultDownloadLimits: LedgerLimits = { perCaller: 4, total: 24 };
const defaultComparisonLimits: LedgerLimits = { perCaller: 2, total: 8 };

/** The limit is low, because a page of several megabytes stays in memory until the caller has read it. */
const serverLimits = { requestsInFlight: 160 };

export const createQueryApi = (dependencies: QueryApiDependencies): HttpServer => {
  const { postgres, secretSealer, watch, log, metrics, provider, operatorToken, clock = systemClock } = dependencies;
  const { rateClock, registrationTimeoutMs } = dependencies;
  const measures = readerMetrics(metrics);
  const shards = dependencies.shards.map(({ shard, reader: unchecked }): ReportShard => {
    const reportDamage = createDamageReporter(postgres, log, [shard]);
    const measured = measureReader(unchecked, measures);
    const { readProgress, runs } = createProgressReader(measured, reportDamage, log);
    const reader = rejectUnreadableTables(measured, reportDamage, { runs });
    const pinGenerations = createGenerationPinning(readProgress);
    const [rowCounter, renderWithNames] = [createRowCounter(reader), createNameRenderer(reader)];
    return { shard, reader, readProgress, pinGenerations, rowCounter, renderWithNames };
  });
  const shardOf = (network: number) => findShard(shards, network);
  const checkEachShard = (createCheck: (reader: ClickHouseReader) => () => Promise<unknown>) => {
    const checks = dependencies.shards.map(({ shard, reader }) => ({ shard, check: createCheck(reader) }));
    return () => checkShards(checks, ({ check }) => check());
  };
  const readRegistry = createRegistryReader(shards);
  const builtInProvider = provider ? undefined : createBuiltInTokenProvider(postgres, secretSealer, watch);
  return createServer({
    routes: allRoutes({
      shardOf,
      postgres,
      secretSealer,
      tokens: builtInProvider,
      scope: createScope(readRegistry, registrationTimeoutMs),
      clock,
      historyDays: dependencies.historyDays ?? defaultHistoryDays,
      openedAddresses: dependencies.openedAddresses ?? [],
      acquireDownloadSlot: createCallerSlots(dependencies.downloads ?? defaultDownloadLimits, 'downloads'),
      acquireReconcileSlot: createCallerSlots(
        dependencies.comparisons ?? defaultComparisonLimits,
        'comparisons of plays',
      ),
    }),
    description: queryApiDescription,
    authenticate: rejectRetiredSenders(
      createAuthenticator({
        apiKeys: createApiKeyVerifier(postgres, watch),
        tokens: provider ? createExternalTokenVerifier(provider, watch) : builtInProvider,
        operatorToken,
      }),
      createRetiredSenders(readRegistry),
    ),
    checks: {
      clickhouse: () => checkShards(dependencies.shards, ({ reader }) => reader.ping()),
      postgresql: () => postgres.query('SELECT 1'),
      schema: checkEachShard(createSchemaCheck),
      'read-models': checkEachShard(createReadModelsCheck),
    } satisfies ReadinessChecks<'query-api'>,
    log,
    metrics,
    limits: serverLimits,
    allowedOrigins: dependencies.allowedOrigins,
    rates: createRateLimits(metrics, { units: ['requests'], ...(rateClock && { now: rateClock }) }),
  });
};

import { createTokenCredential, createApiKeyCredential } from './credentials.ts';
import { type Credential, systemClock, createTransport, type TransportDependencies } from './http/transport.ts';
import { type Api, createApi } from './http/api.ts';
import { createBulk } from './intake/bulk.ts';
import { createRecording } from './intake/recording.ts';
import { createReconcile } from './intake/reconcile.ts';
import { createChanges } from './reports/changes.ts';
import { createDownloads } from './reports/downloads.ts';
import { createPages, type PageOptions, iterateRows } from './reports/pages.ts';
import { type ClientSettings, requireUrl, validateUrl } from './settings.ts';
import type { paths as CommandPaths } from './generated/command-api.ts';
import type { paths as QueryPaths } from './generated/query-api.ts';
import type { CoffeeRow, WatcherSummaryRow } from './types.ts';
import { createStatuses } from './status.ts';

/** Options for iterating over the rows of a report. `limit` is the size of the pages, not of the result. */
export type RowsOptions = Omit<PageOptions, 'offset'>;

const uploadTimeoutMs = 30 * 60_000;

const credentialOf = (settings: ClientSettings, dependencies: TransportDependencies): Credential => {
  if (settings.apiKey !== undefined) return createApiKeyCredential(settings.apiKey);
  const { clientId, clientSecret, tokenUrl } = settings;
  // Callers may pass environment variables. An unset variable is undefined at run time, although the types exclude that.
  if (!clientId || !clientSecret) throw new TypeError('createClient needs a clientId and a clientSecret, or an apiKey');
  const address = () =>
    tokenUrl === undefined ? `${requireUrl(settings, 'baseUrl')}/oauth/token` : validateUrl(tokenUrl, 'tokenUrl');
  return createTokenCredential({ clientId, clientSecret, tokenUrl: address }, dependencies);
};

/** Creates a value on first use. A client that only pushes events thus needs no `baseUrl`. */
const lazy = <T>(make: () => T): (() => T) => {
  let value: T | undefined;
  return () => (value ??= make());
};

/**
 * Creates a client for a partner or a vendor. Callers need not close it. Throws a TypeError if the credentials are missing or malformed.
 */
export const createClient = (settings: ClientSettings) => {
  const { retryTimeoutMs = 60_000, timeoutMs = 120_000, clock = systemClock, fetch = globalThis.fetch } = settings;
  const dependencies: TransportDependencies = { retryTimeoutMs, timeoutMs, clock, fetch };
  const send = createTransport({ ...dependencies, credential: credentialOf(settings, dependencies) });

  const reporting = (streamed: boolean) =>
    lazy((): Api<QueryPaths> => createApi(requireUrl(settings, 'baseUrl'), send, { streamed }));
  const intake = lazy((): Api<CommandPaths> => createApi(requireUrl(settings, 'ingestUrl'), send));
  const upload = createTransport({ ...dependencies, timeoutMs: Math.max(timeoutMs, uploadTimeoutMs) });

  const whole = reporting(false);
  const paged = createPages(whole);
  return {
    ...paged,
    /** Iterates over the rows of the coffee report, page by page. */
    coffee: (options: RowsOptions): AsyncGenerator<CoffeeRow, void, void> =>
      iterateRows<CoffeeRow>(paged.coffeePage, options),
    /** Iterates over the rows of the watcher summary, page by page. */
    watcherSummary: (options: RowsOptions): AsyncGenerator<WatcherSummaryRow, void, void> =>
      iterateRows<WatcherSummaryRow>(paged.watcherSummaryPage, options),
    ...createChanges(whole),
    ...createDownloads(reporting(true)),
    ...createStatuses(whole),
    ...createRecording(intake),
    ...createReconcile(intake),
    ...createBulk({ api: intake, upload, clock }),
  };
};

export type PopsvcClient = ReturnType<typeof createClient>;

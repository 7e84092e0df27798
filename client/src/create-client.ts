import { accessTokens, apiKeyCredential } from './credentials.ts';
import { type Credential, systemClock, transport, type TransportParts } from './http/transport.ts';
import { type Api, apiBy } from './http/api.ts';
import { bulk } from './intake/bulk.ts';
import { recording } from './intake/recording.ts';
import { downloads } from './reports/downloads.ts';
import { type Page, pages, type PageWish, rowsOf } from './reports/pages.ts';
import { type ClientSettings, neededAddress, plainAddress } from './settings.ts';
import type { CoffeeRow, CommandPaths, QueryPaths, WatcherSummaryRow } from './types.ts';
import { statuses } from './status.ts';

/** All rows of a window, in order; `limit` is how many are fetched at a time. */
export type RowsWish = Omit<PageWish, 'offset'>;

const uploadTimeoutMs = 30 * 60_000;

const credentialOf = (settings: ClientSettings, parts: TransportParts): Credential => {
  if (settings.apiKey !== undefined) return apiKeyCredential(settings.apiKey);
  const { clientId, clientSecret, tokenUrl } = settings;
  // Variables of an environment that are not set come here as undefined, whatever the types say.
  if (!clientId || !clientSecret) throw new TypeError('createClient needs a clientId and a clientSecret, or an apiKey');
  const address = () =>
    tokenUrl === undefined ? `${neededAddress(settings, 'baseUrl')}/oauth/token` : plainAddress(tokenUrl, 'tokenUrl');
  return accessTokens({ clientId, clientSecret, tokenUrl: address }, parts);
};

/** Made when it is first asked for: who only pushes need not know where reports are. */
const whenAsked = <T>(make: () => T): (() => T) => {
  let made: T | undefined;
  return () => (made ??= make());
};

/** A partner's or a vendor's way to the service. It keeps no connection open and needs no closing. */
export const createClient = (settings: ClientSettings) => {
  const { patienceMs = 60_000, timeoutMs = 120_000, clock = systemClock, fetch = globalThis.fetch } = settings;
  const parts: TransportParts = { patienceMs, timeoutMs, clock, fetch };
  const send = transport({ ...parts, credential: credentialOf(settings, parts) });

  const reporting = (streamed: boolean) =>
    whenAsked((): Api<QueryPaths> => apiBy(neededAddress(settings, 'baseUrl'), send, { streamed }));
  const intake = whenAsked((): Api<CommandPaths> => apiBy(neededAddress(settings, 'ingestUrl'), send));
  const upload = transport({ ...parts, timeoutMs: Math.max(timeoutMs, uploadTimeoutMs) });

  const whole = reporting(false);
  const paged = pages(whole);
  return {
    ...paged,
    /** Coffee, row by row, over as many pages as there are. */
    coffee: (wish: RowsWish): AsyncGenerator<CoffeeRow, void, void> => rowsOf<CoffeeRow>(paged.coffeePage, wish),
    /** Watcher summary, row by row, over as many pages as there are. */
    watcherSummary: (wish: RowsWish): AsyncGenerator<WatcherSummaryRow, void, void> =>
      rowsOf<WatcherSummaryRow>(paged.watcherSummaryPage, wish),
    ...downloads(reporting(true)),
    ...statuses(whole),
    ...recording(intake),
    ...bulk({ api: intake, upload, clock }),
  };
};

export type PopsvcClient = ReturnType<typeof createClient>;
export type { Page };

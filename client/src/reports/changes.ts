import type { paths as QueryPaths } from '../generated/query-api.ts';
import { type Api, checkOptions, dataOf, omitUndefined } from '../http/api.ts';
import type { CoffeeChanges, WatcherSummaryChanges } from '../types.ts';
import { scopeFields, scopeInit, type ScopeOptions } from './options.ts';

export interface ChangesOptions extends ScopeOptions {
  /** The `next_since` of an earlier response. Without it, the changes begin with all rows of the report. */
  readonly since?: string | undefined;
  /** Maximum number of changes, 1 to 5,000. */
  readonly limit?: number | undefined;
  /** Restricts the changes to rows that belong or belonged to these sites. */
  readonly siteId?: number | readonly number[] | undefined;
}

const fields = { ...scopeFields, since: true, limit: true, siteId: true } as const;

const initOf = (options: ChangesOptions) => {
  checkOptions(options, fields);
  const { since, limit, siteId } = options;
  const query = omitUndefined({ since, limit, site_id: siteId === undefined ? undefined : [siteId].flat() });
  return { params: { query }, ...scopeInit(options) };
};

const startOf = (options: ScopeOptions) => {
  checkOptions(options, scopeFields);
  return scopeInit(options);
};

/** For the next changes, pass `next_since` as `since`. While `has_more` is true, the next changes are available at once. */
export const createChanges = (api: () => Api<QueryPaths>) => ({
  coffeeChanges: async (options: ChangesOptions = {}): Promise<CoffeeChanges> =>
    dataOf(await api().GET('/api/v1/coffee/changes', initOf(options))).data,
  watcherSummaryChanges: async (options: ChangesOptions = {}): Promise<WatcherSummaryChanges> =>
    dataOf(await api().GET('/api/v1/watcher-summary/changes', initOf(options))).data,
  /** Returns the `since` with which to read only changes that are made from now on. */
  coffeeChangesStart: async (options: ScopeOptions = {}): Promise<string> =>
    dataOf(await api().GET('/api/v1/coffee/changes/start', startOf(options))).data.next_since,
  watcherSummaryChangesStart: async (options: ScopeOptions = {}): Promise<string> =>
    dataOf(await api().GET('/api/v1/watcher-summary/changes/start', startOf(options))).data.next_since,
});

import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@popsvc/contracts/errors';
import { networkNameKey } from '@popsvc/domain/registry';
import { type Principal, unauthorized } from '@popsvc/http-kit/auth';
import { bind, fewRows, liveViewName, type Sql, sql } from '@popsvc/platform/clickhouse';
import type { RouteRequest } from '@popsvc/http-kit/server';
import { registryTables } from '@popsvc/read-models/tables';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { ReadRegistry } from '../shards/shards.ts';
import { rowsOfNetworks } from './network-rows.ts';

export const networkHeader = z.object({
  'X-Network-Name': z
    .string()
    .optional()
    .describe(
      "Name of one of the token's networks, in any case, percent-encoded UTF-8 if necessary. API keys have one network and need none.",
    ),
});

/** An empty list does not restrict the response. */
export interface PlaceFilter {
  readonly siteIds: readonly number[];
  readonly locationIds: readonly number[];
}

type ScopedRequest = Pick<RouteRequest, 'principal' | 'header'>;

export interface Scope {
  /**
   * By default, the first registered network of the credential. Throws FORBIDDEN_NETWORKS if none is registered, and UNAUTHORIZED if
   * X-Network-Name names no registered network of the token.
   */
  resolveNetwork(request: ScopedRequest): Promise<number>;
  /** By default, all registered networks of the credential. Throws like `resolveNetwork`. */
  resolveNetworks(request: ScopedRequest): Promise<readonly number[]>;
  /** For reports. Throws UNAUTHORIZED if a site does not belong to the network. */
  requireSites(network: number, siteIds: readonly number[]): Promise<void>;
  /** For the status endpoints. Throws FORBIDDEN_NETWORKS if a site or location belongs to none of the networks. */
  requirePlaces(networks: readonly number[], places: PlaceFilter): Promise<void>;
}

export const createScope = (
  readRegistry: ReadRegistry,
  registrationTimeoutMs = defaultRegistrationTimeoutMs,
): Scope => {
  const places = createPlaceLookup(readRegistry, registrationTimeoutMs);
  const resolve = async (request: ScopedRequest) => {
    const { principal } = request;
    const ids = networkIdsOf(principal);
    const names = ids.length > 0 ? await places.readNetworkNames(ids) : new Map<number, string>();
    if (names.size === 0) throw new ApiError('FORBIDDEN_NETWORKS');
    const networks = ids.filter((id) => names.has(id));
    const header = principal?.kind === 'client' ? request.header('x-network-name') : undefined;
    if (header === undefined) return { first: networks[0]!, networks };
    const selected = networks.find((id) => isNetworkName(names.get(id), header));
    if (selected === undefined)
      throw unauthorized('X-Network-Name is not a network of this token.', 'invalid_token', 'X-Network-Name');
    return { first: selected, networks: [selected] };
  };
  return {
    resolveNetwork: async (request) => (await resolve(request)).first,
    resolveNetworks: async (request) => (await resolve(request)).networks,
    async requireSites(network, siteIds) {
      if (!(await places.belongToNetworks([network], 'sites', siteIds)))
        // With the code `invalid_token`, a client would request new tokens again and again.
        throw unauthorized("site_id is not one of the network's sites.", undefined, 'site_id');
    },
    async requirePlaces(networks, { siteIds, locationIds }) {
      const [areSitesAllowed, areLocationsAllowed] = await Promise.all([
        places.belongToNetworks(networks, 'sites', siteIds),
        places.belongToNetworks(networks, 'locations', locationIds),
      ]);
      if (!areSitesAllowed) throw forbiddenPlace('site_id', 'site_id is not a site of these networks.');
      if (!areLocationsAllowed) throw forbiddenPlace('location_id', 'location_id is not a location of these networks.');
    },
  };
};

interface PlaceLookup {
  /**
   * Omits networks that are not registered. Waits up to `registrationTimeoutMs` for a missing one, which may have been registered a moment
   * ago.
   */
  readNetworkNames(ids: readonly number[]): Promise<ReadonlyMap<number, string>>;
  belongToNetworks(networks: readonly number[], kind: PlaceKind, ids: readonly number[]): Promise<boolean>;
}

const idColumns = { sites: sql`site_id`, locations: sql`location_id` };
type PlaceKind = keyof typeof idColumns;

const [defaultRegistrationTimeoutMs, pollMs] = [1_000, 100];
/**
 * Later requests do not wait for a network in this cache. The token of an external provider may name networks that are never registered.
 */
const [unregisteredCacheMs, maxUnregistered] = [3_600_000, 10_000];

const createPlaceLookup = (readRegistry: ReadRegistry, registrationTimeoutMs: number): PlaceLookup => {
  const unregistered = new LRUCache<number, true>({ max: maxUnregistered, ttl: unregisteredCacheMs });
  const readNames = async (ids: readonly number[], network: number) => {
    const query = { key: `names ${ids.join()}`, query: networkNamesQuery(ids) };
    const rows = await readRegistry<{ id: number; name: string }>(query, network);
    return new Map(rows.map(({ id, name }) => [id, name]));
  };
  return {
    async readNetworkNames(ids) {
      const giveUpAt = performance.now() + registrationTimeoutMs;
      const [first] = ids;
      if (first === undefined) return new Map();
      for (;;) {
        const found = new Map(await readNames(ids, first));
        for (const id of ids) {
          if (found.has(id) || unregistered.has(id)) continue;
          // The registry in the shard of this network may be newer.
          const own = (await readNames([id], id)).get(id);
          if (own !== undefined) found.set(id, own);
        }
        const missing = ids.filter((id) => !found.has(id) && !unregistered.has(id));
        if (missing.length === 0) return found;
        if (performance.now() >= giveUpAt) {
          for (const id of missing) unregistered.set(id, true);
          return found;
        }
        await sleep(pollMs);
      }
    },
    async belongToNetworks(networks, kind, ids) {
      const wanted = [...new Set(ids)];
      if (wanted.length === 0) return true;
      const query = { key: `${kind} ${networks.join()} ${wanted.join()}`, query: placesQuery(kind, networks, wanted) };
      return (await readRegistry(query, networks[0]!)).length === wanted.length;
    },
  };
};

/** The ids come from a verified credential, so they need no further check. */
const networkNamesQuery = (ids: readonly number[]): Sql => sql`
SELECT network_id AS id, name FROM ${liveViewName(registryTables.networks)}
WHERE network_id IN ${bind('Array(UInt64)', ids)} ${fewRows}`;

const placesQuery = (kind: PlaceKind, networks: readonly number[], ids: readonly number[]): Sql => sql`
SELECT ${idColumns[kind]} AS id
FROM ${rowsOfNetworks(registryTables[kind], networks, [sql`${idColumns[kind]} IN ${bind('Array(UInt64)', ids)}`])}`;

const forbiddenPlace = (path: string, message: string): ApiError =>
  new ApiError('FORBIDDEN_NETWORKS', message, { details: [{ path, message }] });

const networkIdsOf = (principal: Principal | undefined): readonly number[] => {
  if (principal?.kind === 'api-key') return [principal.network];
  return principal?.kind === 'client' ? principal.networkIds : [];
};

/** Also compares the undecoded header, because a name may itself contain a percent sign. */
const isNetworkName = (name: string | undefined, header: string): boolean => {
  if (name === undefined) return false;
  const key = networkNameKey(name);
  return [header, decodePercent(header), decodeUtf8(header)].some((text) => networkNameKey(text) === key);
};

/** Node.js decodes header bytes as Latin-1, but clients may send UTF-8. */
const decodeUtf8 = (text: string): string => Buffer.from(text, 'latin1').toString('utf8');

const decodePercent = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

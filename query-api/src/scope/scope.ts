import { ApiError } from '@popsvc/contracts/errors';
import { networkNameKey } from '@popsvc/domain/registry';
import { type Principal, unauthorized } from '@popsvc/platform/auth';
import type { RouteRequest } from '@popsvc/platform/http';
import { z } from 'zod';
import type { PlaceLookup } from './place-lookup.ts';

/** The header with which a request selects one of its networks. */
export const networkHeader = z.object({
  'X-Network-Name': z
    .string()
    .optional()
    .describe(
      "Name of one of the token's networks, in any case, percent-encoded UTF-8 if necessary. API keys have one network and need none.",
    ),
});

/** Places that a request filters by. */
export interface PlaceFilter {
  readonly siteIds: readonly number[];
  readonly locationIds: readonly number[];
}

type ScopedRequest = Pick<RouteRequest, 'principal' | 'header'>;

/** Determines which networks a request may read (decisions 3.5, 3.6). */
export interface Scope {
  /** The network that the request selects, else the first network of its credential. */
  resolveNetwork(request: ScopedRequest): Promise<number>;
  /** The network that the request selects, else all registered networks of its credential. */
  resolveNetworks(request: ScopedRequest): Promise<readonly number[]>;
  /** Throws UNAUTHORIZED if a site does not belong to the network, as reports respond. */
  requireSites(network: number, siteIds: readonly number[]): Promise<void>;
  /** Throws FORBIDDEN_NETWORKS if a place belongs to none of the networks, as the status endpoints respond. */
  requirePlaces(networks: readonly number[], places: PlaceFilter): Promise<void>;
}

export const createScope = (places: PlaceLookup): Scope => {
  /** `networks`: the registered networks of the credential in its order, or the selected one. `first`: the default network. */
  const resolve = async (request: ScopedRequest) => {
    const { principal } = request;
    const ids = networkIdsOf(principal);
    const names = ids.length > 0 ? await places.readNetworkNames(ids) : new Map<number, string>();
    if (names.size === 0) throw new ApiError('FORBIDDEN_NETWORKS');
    const networks = ids.filter((id) => names.has(id));
    const header = principal?.kind === 'client' ? request.header('x-network-name') : undefined;
    if (header === undefined) return { first: ids[0], networks };
    const selected = networks.find((id) => isNetworkName(names.get(id), header));
    if (selected === undefined)
      throw unauthorized('X-Network-Name is not a network of this token.', 'invalid_token', 'X-Network-Name');
    return { first: selected, networks: [selected] };
  };
  return {
    async resolveNetwork(request) {
      const { first, networks } = await resolve(request);
      if (first === undefined || !networks.includes(first)) throw new ApiError('FORBIDDEN_NETWORKS');
      return first;
    },
    resolveNetworks: async (request) => (await resolve(request)).networks,
    async requireSites(network, siteIds) {
      if (!(await places.belongToNetworks([network], 'sites', siteIds)))
        throw unauthorized("site_id is not one of the network's sites.", 'invalid_token', 'site_id');
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

const forbiddenPlace = (path: string, message: string): ApiError =>
  new ApiError('FORBIDDEN_NETWORKS', message, { details: [{ path, message }] });

const networkIdsOf = (principal: Principal | undefined): readonly number[] => {
  if (principal?.kind === 'api-key') return [principal.network];
  return principal?.kind === 'client' ? principal.networkIds : [];
};

/** Whether the header is this name: as it is, percent-encoded, or in UTF-8. A name may itself contain a percent sign. */
const isNetworkName = (name: string | undefined, header: string): boolean => {
  if (name === undefined) return false;
  const key = networkNameKey(name);
  return [header, decodePercent(header), decodeUtf8(header)].some((text) => networkNameKey(text) === key);
};

/** Node.js decodes header bytes as Latin-1, but most clients send UTF-8. */
const decodeUtf8 = (text: string): string => Buffer.from(text, 'latin1').toString('utf8');

const decodePercent = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

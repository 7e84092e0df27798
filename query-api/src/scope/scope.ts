import { ApiError } from '@popsvc/contracts/errors';
import { networkNameKey } from '@popsvc/domain/registry';
import { type Principal, unauthorized } from '@popsvc/platform/auth';
import type { RouteRequest } from '@popsvc/platform/http';
import type { KnownPlaces } from './known-places.ts';

/** What a request may be limited to. */
export interface Places {
  readonly siteIds: readonly number[];
  readonly locationIds: readonly number[];
}

/** Which networks a request is about (decisions 3.5, 3.6). */
export interface Scope {
  /** The network its caller names, else the first of its credential. */
  networkOf(asked: Pick<RouteRequest, 'principal' | 'header'>): Promise<number>;
  /** The network its caller names, else all registered ones of its credential. */
  networksOf(asked: Pick<RouteRequest, 'principal' | 'header'>): Promise<readonly number[]>;
  /** Refuses sites that are not the network's, as reports do. */
  requireSites(network: number, siteIds: readonly number[]): Promise<void>;
  /** Refuses places that are in none of the networks, as status does. */
  requirePlaces(networks: readonly number[], places: Places): Promise<void>;
}

export const scope = (places: KnownPlaces): Scope => {
  /** The registered networks of the credential in its order, or the one that is named. */
  const within = async (asked: Pick<RouteRequest, 'principal' | 'header'>) => {
    const { principal } = asked;
    const ids = networkIdsOf(principal);
    const registered = ids.length > 0 ? await places.networks(ids) : new Map<number, string>();
    if (registered.size === 0) throw new ApiError('FORBIDDEN_NETWORKS');
    const known = ids.filter((id) => registered.has(id));
    const name = principal?.kind === 'client' ? asked.header('x-network-name') : undefined;
    if (name === undefined) return { first: ids[0], known };
    const named = known.find((id) => isNamed(registered.get(id), name));
    if (named === undefined)
      throw unauthorized('X-Network-Name is not a network of this token.', 'invalid_token', 'X-Network-Name');
    return { first: named, known: [named] };
  };
  return {
    async networkOf(asked) {
      const { first, known } = await within(asked);
      if (first === undefined || !known.includes(first)) throw new ApiError('FORBIDDEN_NETWORKS');
      return first;
    },
    networksOf: async (asked) => (await within(asked)).known,
    async requireSites(network, siteIds) {
      if (!(await places.have([network], 'sites', siteIds)))
        throw unauthorized("site_id is not one of the network's sites.", 'invalid_token', 'site_id');
    },
    async requirePlaces(networks, { siteIds, locationIds }) {
      const [sites, locations] = await Promise.all([
        places.have(networks, 'sites', siteIds),
        places.have(networks, 'locations', locationIds),
      ]);
      if (!sites) throw forbidden('site_id', 'site_id is not a site of these networks.');
      if (!locations) throw forbidden('location_id', 'location_id is not a location of these networks.');
    },
  };
};

const forbidden = (path: string, message: string): ApiError =>
  new ApiError('FORBIDDEN_NETWORKS', message, { details: [{ path, message }] });

const networkIdsOf = (principal: Principal | undefined): readonly number[] => {
  if (principal?.kind === 'api-key') return [principal.network];
  return principal?.kind === 'client' ? principal.networkIds : [];
};

/** The header may be UTF-8, percent-encoded or not; a name may also hold a percent sign of its own. */
const isNamed = (name: string | undefined, header: string): boolean => {
  if (name === undefined) return false;
  const key = networkNameKey(name);
  return [header, decoded(header), asUtf8(header)].some((written) => networkNameKey(written) === key);
};

/** Node hands header bytes over one character each; most clients send UTF-8 as it is. */
const asUtf8 = (text: string): string => Buffer.from(text, 'latin1').toString('utf8');

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

import { Refusal } from '@popsvc/contracts/errors';
import { networkNameKey } from '@popsvc/domain/registry';
import { type Principal, unauthorized } from '@popsvc/platform/auth';
import type { Asked } from '@popsvc/platform/http';
import type { KnownPlaces } from './known-places.ts';

/** Which network a request is about (decisions 3.5, 3.6). */
export interface Scope {
  /** The network its caller names, else the first of its credential. */
  networkOf(asked: Pick<Asked, 'principal' | 'header'>): Promise<number>;
  /** Refuses sites that are not the network's. */
  requireSites(network: number, siteIds: readonly number[]): Promise<void>;
}

export const scope = (places: KnownPlaces): Scope => ({
  async networkOf(asked) {
    const { principal } = asked;
    const ids = networkIdsOf(principal);
    const registered = ids.length > 0 ? await places.networks(ids) : new Map<number, string>();
    if (registered.size === 0) throw new Refusal('FORBIDDEN_NETWORKS');
    const named = principal?.kind === 'client' ? asked.header('x-network-name') : undefined;
    const network = named === undefined ? ids[0] : ids.find((id) => isNamed(registered.get(id), named));
    if (network === undefined) throw unauthorized('X-Network-Name is not a network of this token.', 'invalid_token');
    if (!registered.has(network)) throw new Refusal('FORBIDDEN_NETWORKS');
    return network;
  },
  async requireSites(network, siteIds) {
    if (siteIds.length > 0 && !(await places.hasSites(network, siteIds)))
      throw unauthorized("site_id is not one of the network's sites.", 'invalid_token');
  },
});

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

import { waitUntil } from '../rig/clients.ts';
import type { Service } from '../rig/service-process.ts';
import { checkpointHistorySql } from './read-model-oracle.ts';
import { connectStores } from './stores.ts';
import { createMapping, createRegistry, type SoakNetwork, soakNetworks } from './networks.ts';

/** The running service, and the credentials that the soak test uses to send requests to it. */
export interface Access {
  service(): Service;
  keyOf(network: SoakNetwork): string;
  /** OAuth client for both networks; the first network is its default. */
  readonly client: { readonly id: string; readonly secret: string };
}

/** Thrown when ops-api responds with a status other than 2xx. */
class OpsError extends Error {
  readonly status: number;
  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}

/** HTTP status of a failed request; 0 if there was no response. */
export const statusOf = (error: unknown): number => (error instanceof OpsError ? error.status : 0);

/** Sends a request to ops-api as the operator. Throws OpsError if the status is not 2xx, and rethrows network errors. */
export const requestOps = async <Body>(
  { credentials }: Pick<Service, 'credentials'>,
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
): Promise<Body> => {
  const response = await fetch(`${credentials.ops_base_url}/ops/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${credentials.operator_token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    signal: AbortSignal.timeout(60_000),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new OpsError(response.status, `${method} ${path} returned ${response.status}: ${text}`);
  return JSON.parse(text) as Body;
};

/**
 * Installs the trigger that records checkpoint changes and registers both networks. Creates an API key for each network, and one
 * OAuth client that may read both.
 */
export const registerSoakNetworks = async (system: { readonly service: Service }): Promise<Access> => {
  const { service } = system;
  const stores = connectStores(service.dataDir, service.endpoints);
  await stores.postgres.query(checkpointHistorySql);
  await stores.close();
  const keys = new Map<number, string>();
  for (const network of soakNetworks) {
    const { id, vendor } = network;
    await requestOps(service, 'POST', '/registry', createRegistry(network));
    await requestOps(service, 'POST', '/mappings', createMapping(network, 'soak-1'));
    const { api_key } = await requestOps<{ api_key: string }>(service, 'POST', '/api-keys', { network: id, vendor });
    keys.set(id, api_key);
  }
  const client = await requestOps<{ client_id: string; client_secret: string }>(service, 'POST', '/clients', {
    networks: soakNetworks.map(({ id }) => id),
  });
  const access: Access = {
    service: () => system.service,
    keyOf: ({ id }) => keys.get(id)!,
    client: { id: client.client_id, secret: client.client_secret },
  };
  const readDeviceCount = async (network: (typeof soakNetworks)[number]) => {
    const { credentials } = service;
    const headers = { 'x-api-key': access.keyOf(network) };
    const response = await fetch(`${credentials.query_base_url}/api/v1/devices/status`, { headers });
    const { data } = (await response.json()) as { data?: { count: number } };
    return data?.count;
  };
  for (const network of soakNetworks)
    await waitUntil(
      () => readDeviceCount(network),
      (count) => count === network.screens,
    );
  return access;
};

import { keepHistory } from './checkpoint-history.ts';
import { waitUntil } from '../rig/partner.ts';
import type { Service } from '../rig/service-process.ts';
import { type Access, askOps } from './access.ts';
import { storesOf } from './stores.ts';
import { mappingOf, networks, registryOf } from './world.ts';

/** Registers both networks with a key each and a client of both, and has PostgreSQL keep what happens to checkpoints. */
export const setUp = async (system: { readonly service: Service }): Promise<Access> => {
  const { service } = system;
  const stores = storesOf(service.dataDir, service.endpoints);
  await stores.postgres.query(keepHistory);
  await stores.close();
  const keys = new Map<number, string>();
  for (const network of networks) {
    const { id, vendor } = network;
    await askOps(service, 'POST', '/registry', registryOf(network));
    await askOps(service, 'POST', '/mappings', mappingOf(network, 'soak-1'));
    const { api_key } = await askOps<{ api_key: string }>(service, 'POST', '/api-keys', { network: id, vendor });
    keys.set(id, api_key);
  }
  const made = await askOps<{ client_id: string; client_secret: string }>(service, 'POST', '/clients', {
    networks: networks.map(({ id }) => id),
  });
  const access: Access = {
    service: () => system.service,
    keyOf: ({ id }) => keys.get(id)!,
    client: { id: made.client_id, secret: made.client_secret },
  };
  const known = async (network: (typeof networks)[number]) => {
    const { credentials } = service;
    const headers = { 'x-api-key': access.keyOf(network) };
    const answer = await fetch(`${credentials.query_base_url}/api/v1/devices/status`, { headers });
    const { data } = (await answer.json()) as { data?: { count: number } };
    return data?.count;
  };
  for (const network of networks)
    await waitUntil(
      () => known(network),
      (count) => count === network.screens,
    );
  return access;
};

import { randomUUID } from 'node:crypto';
import { RegistryFile } from '@popsvc/contracts/registry';
import type { Pool } from 'pg';
import { familyCpuUs, type Spender } from '../harness/processes.ts';
import { createPeer, openPeer } from '../peer-postgres/open-peer.ts';
import { seedApiKey, seedRegistry } from '../peer-postgres/seed.ts';
import { network, registry, vendor } from '../traffic/registry.ts';
import type { Rig } from './rig.ts';
import { serverPid } from './server-pid.ts';

/** The peer over a PostgreSQL database of its own, that knows the network. */
export interface Peer {
  readonly url: string;
  readonly headers: Readonly<Record<'x-api-key', string>>;
  /** Its database, from this process. */
  readonly pool: Pool;
  readonly spenders: Readonly<Record<'peer' | 'postgres', Spender>>;
}

export const startPeer = async (rig: Rig): Promise<Peer> => {
  const databaseUrl = await createPeer(await rig.records());
  const pool = openPeer(databaseUrl);
  rig.keep(() => pool.end());
  await seedRegistry(pool, RegistryFile.parse(registry));
  const apiKey = `${vendor}_sk_${randomUUID()}`;
  await seedApiKey(pool, apiKey, network, vendor);
  const worker = rig.worker(new URL('../peer-postgres/peer.main.js', import.meta.url));
  const port = await worker.ask<number>(databaseUrl);
  const server = await serverPid(pool);
  return {
    url: `http://127.0.0.1:${port}`,
    headers: { 'x-api-key': apiKey },
    pool,
    spenders: { peer: worker.pid, postgres: () => familyCpuUs(server) },
  };
};

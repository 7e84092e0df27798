import { randomUUID } from 'node:crypto';
import { RegistryFile } from '@popsvc/contracts/registry';
import type { Pool } from 'pg';
import { readFamilyCpuUs, type CpuSource } from '../harness/processes.ts';
import { createCompetitorDatabase, openCompetitorPool } from '../competitor/open-peer.ts';
import { seedApiKey, seedRegistry } from '../competitor/seed.ts';
import { network, registry, vendor } from '../traffic/registry.ts';
import type { Testbed } from './rig.ts';
import { serverPid } from './server-pid.ts';

/** The peer over a PostgreSQL database of its own, that knows the network. */
export interface Peer {
  readonly url: string;
  readonly headers: Readonly<Record<'x-api-key', string>>;
  /** Its database, from this process. */
  readonly pool: Pool;
  readonly spenders: Readonly<Record<'peer' | 'postgres', CpuSource>>;
}

export const startPeer = async (rig: Testbed): Promise<Peer> => {
  const databaseUrl = await createCompetitorDatabase(await rig.postgres());
  const pool = openCompetitorPool(databaseUrl);
  rig.addCleanup(() => pool.end());
  await seedRegistry(pool, RegistryFile.parse(registry));
  const apiKey = `${vendor}_sk_${randomUUID()}`;
  await seedApiKey(pool, apiKey, network, vendor);
  const worker = rig.worker(new URL('../competitor/peer.main.js', import.meta.url));
  const port = await worker.request<number>(databaseUrl);
  const server = await serverPid(pool);
  return {
    url: `http://127.0.0.1:${port}`,
    headers: { 'x-api-key': apiKey },
    pool,
    spenders: { peer: worker.pid, postgres: () => readFamilyCpuUs(server) },
  };
};

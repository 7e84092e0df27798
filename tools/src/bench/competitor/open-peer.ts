import { Pool, TypeOverrides, types } from 'pg';
import { views } from './coffee-view.ts';
import { tables } from './schema.ts';

/** No id is past what JavaScript counts exactly. */
const typeParsers = new TypeOverrides();
typeParsers.setTypeParser(types.builtins.INT8, Number);

export const openCompetitorPool = (url: string): Pool => {
  const pool = new Pool({ connectionString: url, max: 16, types: typeParsers });
  pool.on('error', () => undefined);
  return pool;
};

/** Settings for a server whose data is in memory and whose queries are worth it; fsync stays on. */
const settings = { work_mem: '64MB', effective_cache_size: '4GB', random_page_cost: '1.1', jit: 'off' };

/** Fills an empty database with the peer's schema. */
export const createCompetitorSchema = async (url: string): Promise<void> => {
  const peer = openCompetitorPool(url);
  await peer.query(tables + views);
  await peer.end();
};

/** Makes the peer's database beside that of the address; resolves with its address. */
export const createCompetitorDatabase = async (serverUrl: string, name = 'peer'): Promise<string> => {
  const server = openCompetitorPool(serverUrl);
  await server.query(`CREATE DATABASE ${name}`);
  for (const [setting, value] of Object.entries(settings))
    await server.query(`ALTER DATABASE ${name} SET ${setting} = '${value}'`);
  await server.end();
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  await createCompetitorSchema(url.href);
  return url.href;
};

import { cpuPerUnit, type Side, sliceMs, warmUpMs } from '../harness/slices.ts';
import { randomInt } from 'node:crypto';
import { hashApiKey, createApiKeyVerifier, startRevocationWatch, generateApiKey } from '@popsvc/http-kit/auth';
import { findApiKey, openPostgres, type Postgres } from '@popsvc/platform/postgres';
import { alternate, compare } from '../harness/comparison.ts';
import { cpuUsWithChildren, measureSlice, type Work } from '../harness/process-usage.ts';
import { type Scenario } from './scenario.ts';
import { silentLog, postgresServerPid } from '../testbed/engines.ts';
import { openRig, type Rig } from '../testbed/testbed.ts';

const [few, many] = [1_000, 10_000];
const atOnce = 16;

/** Inserts `count` API keys, each for its own vendor and network. */
const seedKeys = async (postgres: Postgres, count: number): Promise<readonly string[]> => {
  const keys = Array.from({ length: count }, (_, at) => generateApiKey(`vendor${at}`));
  await postgres.query(
    `INSERT INTO api_keys (vendor, network_id, hash, prefix)
     SELECT 'vendor' || at, at, hash, 'bench' FROM unnest($1::bytea[]) WITH ORDINALITY AS key (hash, at)`,
    [keys.map(hashApiKey)],
  );
  await postgres.query('ANALYZE api_keys');
  return keys;
};

/** Looks up random keys with a fixed concurrency for `sliceMs`. `lookUp` receives the index of a key. */
const repeatLookUps = async (count: number, lookUp: (index: number) => Promise<unknown>): Promise<Work> => {
  const until = performance.now() + sliceMs;
  let units = 0;
  const place = async () => {
    for (; performance.now() < until; units += 1) {
      const index = randomInt(count);
      if (!(await lookUp(index))) throw new Error(`the look-up of API key ${index} returned nothing`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, place));
  return { units };
};

/**
 * Inserts `count` API keys and returns functions that create benchmark sides. A side created by `cached` looks up keys through the
 * verifier, which caches them. A side created by `inPostgres` runs the query that the verifier runs once a minute for each key in
 * use.
 */
const openKeys = async (rig: Rig, count: number) => {
  const postgres = openPostgres({ url: await rig.postgres(), log: silentLog, name: 'bench' });
  rig.onClose(() => postgres.end());
  const watch = await startRevocationWatch(postgres, { log: silentLog });
  rig.onClose(() => {
    watch.stop();
    return Promise.resolve();
  });
  const keys = await seedKeys(postgres, count);
  const verifier = createApiKeyVerifier(postgres, watch);
  await Promise.all(keys.map((key) => verifier.verify(key)));
  const server = await postgresServerPid(postgres);
  const meters = { bench: process.pid, postgres: () => cpuUsWithChildren(server) };
  const side = (name: string, lookUp: (key: string) => Promise<unknown>): Side => ({
    name,
    slice: () => measureSlice(meters, () => repeatLookUps(count, (index) => lookUp(keys[index]!))),
  });
  return {
    cached: (name: string) => side(name, (key) => verifier.verify(key)),
    inPostgres: (name: string) => side(name, (key) => findApiKey(postgres, hashApiKey(key))),
  };
};

export const growthKeys: Scenario = {
  name: 'growth-keys',
  about: `look-up of an API key among ${few} vendors and among ${many}: in the cache, and in PostgreSQL`,
  async run(rig, { pairs }) {
    const other = openRig();
    rig.onClose(() => other.close());
    const [small, large] = [await openKeys(rig, few), await openKeys(other, many)];
    const times = { unit: 'µs', baseline: 'F7', system: 'system', reading: 'times', cost: cpuPerUnit() } as const;
    const measure = async (where: 'cached' | 'inPostgres', name: string) => {
      const sides = [small[where]('F7'), large[where]('system')];
      return compare(await alternate({ sides, pairs, warmUpMs }), { ...times, name });
    };
    const measures = [
      await measure('cached', 'CPU of a look-up, cached'),
      await measure('inPostgres', 'CPU of a look-up, in PostgreSQL'),
    ];
    return { measures, figures: [{ name: 'vendors', value: many, unit: 'with a key each' }] };
  },
};

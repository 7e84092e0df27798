import { randomInt } from 'node:crypto';
import { hashApiKey, createApiKeyVerifier, startRevocationWatch, generateApiKey } from '@popsvc/platform/auth';
import { findApiKey, openPostgres, type Postgres } from '@popsvc/platform/postgres';
import { alternate } from '../harness/alternate.ts';
import { compare } from '../harness/compare.ts';
import { readFamilyCpuUs, measure, type Work } from '../harness/processes.ts';
import { type Scenario, sliceMs, warmUpMs } from '../harness/scenario.ts';
import { cpuPerUnit, type Side } from '../harness/slice.ts';
import { quiet } from '../testbed/records.ts';
import { openTestbed, type Testbed } from '../testbed/rig.ts';
import { serverPid } from '../testbed/server-pid.ts';

const [few, many] = [1_000, 10_000];
const atOnce = 16;

/** So many vendors with a network and a key each. */
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

/** One after the other in so many places, for the length of a slice. */
const lookingUp = async (look: () => Promise<unknown>): Promise<Work> => {
  const until = performance.now() + sliceMs;
  let units = 0;
  const place = async () => {
    for (; performance.now() < until; units += 1) if (!(await look())) throw new Error('a key was not found');
  };
  await Promise.all(Array.from({ length: atOnce }, place));
  return { units };
};

/** Keys at random among so many: as requests find them that were seen before, and as the first of each minute does. */
const openKeys = async (rig: Testbed, count: number) => {
  const postgres = openPostgres({ url: await rig.postgres(), log: quiet, name: 'bench' });
  rig.addCleanup(() => postgres.end());
  const watch = await startRevocationWatch(postgres, { log: quiet });
  rig.addCleanup(() => {
    watch.stop();
    return Promise.resolve();
  });
  const keys = await seedKeys(postgres, count);
  const verifier = createApiKeyVerifier(postgres, watch);
  await Promise.all(keys.map((key) => verifier.verify(key)));
  const server = await serverPid(postgres);
  const spenders = { bench: process.pid, postgres: () => readFamilyCpuUs(server) };
  const any = () => keys[randomInt(count)]!;
  const side = (name: string, look: () => Promise<unknown>): Side => ({
    name,
    slice: () => measure(spenders, () => lookingUp(look)),
  });
  return {
    remembered: (name: string) => side(name, () => verifier.verify(any())),
    inRecords: (name: string) => side(name, () => findApiKey(postgres, hashApiKey(any()))),
  };
};

export const growthKeys: Scenario = {
  name: 'growth-keys',
  about: `whose API key it is, among ${few} vendors and among ${many}: remembered, and looked up in PostgreSQL`,
  async run(rig, { pairs }) {
    const other = openTestbed();
    rig.addCleanup(() => other.close());
    const [small, large] = [await openKeys(rig, few), await openKeys(other, many)];
    const times = { unit: 'µs', baseline: 'F7', system: 'system', reading: 'times', of: cpuPerUnit() } as const;
    const measure = async (where: 'remembered' | 'inRecords', name: string) => {
      const sides = [small[where]('F7'), large[where]('system')];
      return compare(await alternate({ sides, pairs, warmUpMs }), { ...times, name });
    };
    const measures = [
      await measure('remembered', 'CPU of a look-up, remembered'),
      await measure('inRecords', 'CPU of a look-up, in the records'),
    ];
    return { measures, metrics: [{ name: 'vendors', value: many, unit: 'with a key each' }] };
  },
};

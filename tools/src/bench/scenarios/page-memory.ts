import { getRequest, sendRequest } from '../baselines/recorded-requests.ts';
import { readPeakBytes } from '../harness/process-usage.ts';
import { openReporting } from '../testbed/systems.ts';
import { coffeeWindow } from '../traffic/fill-coffee.ts';
import type { Scenario } from './scenario.ts';

/** Pages of 100 rows, of which none should cause a major garbage collection. */
const smallPages = 1_000;
/** The heap of V8 grows until the first major collections; then its peak stays. */
const settlingPages = 4_000;
const manyPages = 10_000;
const mebibyte = 1_048_576;

/** Most pages are small; among a hundred there are nine of 1,000 rows and one of 5,000. */
const limitOf = (index: number): number => {
  if (index % 100 === 99) return 5_000;
  return index % 11 === 10 ? 1_000 : 100;
};

const collectionsOf = (kind: string, metrics: string): number | undefined => {
  const found = new RegExp(`^nodejs_gc_duration_seconds_count\\{[^}]*kind="${kind}"[^}]*\\} (\\d+)`, 'm').exec(metrics);
  return found ? Number(found[1]) : undefined;
};

const countMajorCollections = async (url: string): Promise<number> => {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  if (collectionsOf('minor', metrics) === undefined) throw new Error(`${url}/metrics has no garbage collections`);
  // There is no such series before the first one.
  return collectionsOf('major', metrics) ?? 0;
};

export const pageMemory: Scenario = {
  name: 'page-memory',
  about: `memory of query-api over ${manyPages} pages, and its major garbage collections in ${smallPages} pages of 100 rows`,
  async run(rig, { rows }) {
    const { service, headers } = await openReporting(rig, { rows });
    const request = (limit: number) =>
      getRequest(`${service.url}/api/v1/coffee?${coffeeWindow(rows)}&limit=${limit}`, headers);
    const readPages = async (count: number, limit: (index: number) => number) => {
      for (let index = 0; index < count; index += 1) await sendRequest(request(limit(index)));
    };
    // The first pages fill caches, and V8 compiles.
    await readPages(smallPages, () => 100);
    const collectionsBefore = await countMajorCollections(service.url);
    await readPages(smallPages, () => 100);
    const collections = (await countMajorCollections(service.url)) - collectionsBefore;
    await readPages(settlingPages, limitOf);
    const peakBefore = readPeakBytes(service.pid);
    await readPages(manyPages, limitOf);
    const peak = readPeakBytes(service.pid);
    return {
      measures: [],
      figures: [
        { name: 'major collections in 1,000 pages', value: collections, unit: 'collections' },
        { name: 'peak memory after 4,000 pages', value: peakBefore / mebibyte, unit: 'MiB' },
        { name: 'peak memory after 10,000 more', value: peak / mebibyte, unit: 'MiB' },
        { name: 'peak memory, times that after 4,000 pages', value: peak / peakBefore, unit: 'times' },
      ],
    };
  },
};

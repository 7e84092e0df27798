import { setTimeout as sleep } from 'node:timers/promises';
import { getRequest, type RecordedRequest } from '../baselines/recorded-requests.ts';
import { alternate, compare, type Measure, mergeIntoGroups } from '../harness/comparison.ts';
import { measureSlice, type Work } from '../harness/process-usage.ts';
import type { Outcome } from '../harness/report.ts';
import { cpuPerUnit, p50, p95, type Side, warmUpMs } from '../harness/slices.ts';
import { loadMonth } from '../testbed/competitor.ts';
import type { Rig } from '../testbed/testbed.ts';
import { month, monthFromMs, monthWindow } from '../traffic/month.ts';
import { repeatConcurrently, sendOnce } from './page.ts';
import type { Scenario, Sizes } from './scenario.ts';

const window = `from=${monthWindow.from}&to=${monthWindow.to}`;
const nearTheEnd = new Date(monthFromMs + 30 * 86_400_000).toISOString();
const pauseMs = 3_000;

interface Case {
  /** What the page is, after `CPU a page` in the name of a measure. */
  readonly what: string;
  readonly limit: number;
  /** Whether the page is at the end of the month instead of its start. */
  readonly isAtTheEnd?: true;
  readonly readers?: number;
  /** Whether each page follows a pause, after which nothing that the service caches for a moment is valid. */
  readonly isAfterPause?: true;
}

const cases: readonly Case[] = [
  { what: 'at the start', limit: 100 },
  { what: 'at the end', limit: 100, isAtTheEnd: true },
  { what: 'for 8 readers', limit: 100, readers: 8 },
  { what: 'of 1,000 rows', limit: 1_000 },
  { what: 'of 5,000 rows', limit: 5_000 },
  { what: 'after a pause', limit: 100, isAfterPause: true },
];

const run = async (rig: Rig, { pairs, rows }: Sizes): Promise<Outcome> => {
  const data = month(rows);
  const { competitor, service, headers } = await loadMonth(rig, data);
  const { pid: clickhouse } = await rig.clickhouse();
  const measures: Measure[] = [];
  for (const { what, limit, isAtTheEnd, readers = 1, isAfterPause } of cases) {
    const path = `/api/v1/coffee?${window}&limit=${limit}`;
    const after = isAtTheEnd ? `&after=${nearTheEnd}` : '';
    const work = (request: RecordedRequest): Promise<Work> =>
      isAfterPause ? sendOnce(request) : repeatConcurrently(request, readers);
    const side = (name: string, meters: Parameters<typeof measureSlice>[0], request: RecordedRequest): Side => ({
      name,
      slice: async () => {
        if (isAfterPause) await sleep(pauseMs);
        return measureSlice(meters, () => work(request));
      },
    });
    const sides = [
      side(
        'competitor',
        competitor.meters,
        getRequest(`${competitor.url}${path}${after && `${after}_0_0`}`, competitor.headers),
      ),
      side('system', { clickhouse, service: service.pid }, getRequest(`${service.url}${path}${after}`, headers)),
    ];
    const blocks = await alternate({ sides, pairs, warmUpMs: isAfterPause ? 0 : warmUpMs });
    // The kernel counts CPU time in steps of 10 ms, which is the cost of one page.
    const longBlocks = isAfterPause ? mergeIntoGroups(blocks, 5) : blocks;
    const times = { baseline: 'competitor', system: 'system', reading: 'times' } as const;
    measures.push(
      compare(longBlocks, { ...times, name: `CPU a page ${what}`, unit: 'µs', cost: cpuPerUnit() }),
      compare(longBlocks, { ...times, name: `p50 of a page ${what}`, unit: 'ms', cost: p50 }),
      compare(mergeIntoGroups(blocks, 4), { ...times, name: `p95 of a page ${what}`, unit: 'ms', cost: p95 }),
    );
  }
  return { measures, figures: [{ name: 'rows', value: data.rows, unit: 'on both sides' }] };
};

export const competitorPages: Scenario = {
  name: 'competitor-pages',
  about: 'pages of a month of plays with audience, in popsvc and in the competitor',
  run,
};

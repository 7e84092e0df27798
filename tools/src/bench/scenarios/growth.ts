import { get, type Replay, send } from '../baselines/replay.ts';
import { alternate, mergeBlocks } from '../harness/alternate.ts';
import { compare, type Measure } from '../harness/compare.ts';
import { measure } from '../harness/processes.ts';
import { type Metric, type Outcome, type Sizes, warmUpMs } from '../harness/scenario.ts';
import { cpuPerUnit } from '../harness/slice.ts';
import { openReporting } from '../testbed/reporting.ts';
import type { Testbed } from '../testbed/rig.ts';
import { coffeeMiddle, coffeeWindow } from '../traffic/fill-coffee.ts';
import { network, otherNetwork } from '../traffic/registry.ts';
import { p50, p95, reading } from './page.ts';

const growth = 10;
const monthMs = 31 * 86_400_000;

const timed = async (request: Replay): Promise<number> => {
  const began = performance.now();
  await send(request);
  return performance.now() - began;
};

/** The same page of a month, with its total, where the month has so many rows and ten times as many. */
export const growthOfPages = async (rig: Testbed, { pairs, rows }: Sizes, parts?: number): Promise<Outcome> => {
  const clickhouse = (await rig.clickhouse()).pid;
  const fill = (id: number, count: number) => ({
    network: id,
    rows: count,
    msBetween: Math.floor(monthMs / count),
    ...(parts !== undefined && { parts }),
  });
  const [few, many] = [fill(network, rows), fill(otherNetwork, growth * rows)];
  const { service, headers, headersOf } = await openReporting(rig, few, many);
  const others = await headersOf(otherNetwork);
  const requestOf = ({ rows: count, msBetween }: typeof few, sort: string, who: Replay['headers']) =>
    get(
      `${service.url}/api/v1/coffee?${coffeeWindow(count, msBetween)}&limit=100&sort=${sort}&after=${coffeeMiddle(count, msBetween)}`,
      who,
    );

  const metrics: Metric[] = [
    { name: 'first page of a month', value: await timed(requestOf(few, 'asc', headers)), unit: 'ms' },
    { name: 'first page of ten times the rows', value: await timed(requestOf(many, 'asc', others)), unit: 'ms' },
  ];
  const measures: Measure[] = [];
  for (const sort of ['asc', 'desc']) {
    const side = (name: string, request: Replay) => ({
      name,
      slice: () => measure({ clickhouse, service: service.pid }, () => reading([request])),
    });
    const sides = [side('F7', requestOf(few, sort, headers)), side('system', requestOf(many, sort, others))];
    const blocks = await alternate({ sides, pairs, warmUpMs });
    const times = { baseline: 'F7', system: 'system', reading: 'times' } as const;
    measures.push(
      compare(blocks, { ...times, name: `CPU a page, ${sort}`, unit: 'µs', of: cpuPerUnit() }),
      compare(blocks, { ...times, name: `p50 of a page, ${sort}`, unit: 'ms', of: p50 }),
      compare(mergeBlocks(blocks, 4), { ...times, name: `p95 of a page, ${sort}`, unit: 'ms', of: p95 }),
    );
  }
  return { measures, metrics };
};

import { cpuPerUnit, p50, p95, warmUpMs } from '../harness/slices.ts';
import { type Figure, type Outcome } from '../harness/report.ts';
import { getRequest, type RecordedRequest, sendRequest } from '../baselines/recorded-requests.ts';
import { alternate, mergeIntoGroups, compare, type Measure } from '../harness/comparison.ts';
import { measureSlice } from '../harness/process-usage.ts';
import { type Scenario, type Sizes } from './scenario.ts';
import type { Rig } from '../testbed/testbed.ts';
import { openReporting } from '../testbed/systems.ts';
import { coffeeMiddle, coffeeWindow, monthOf } from '../traffic/fill-coffee.ts';
import { network, otherNetwork } from '../traffic/network.ts';
import { repeatRequests } from './page.ts';

export const growth = 10;

const timed = async (request: RecordedRequest): Promise<number> => {
  const began = performance.now();
  await sendRequest(request);
  return performance.now() - began;
};

/**
 * Measures requests for a page in the middle of a month. Each response includes the total number of rows. Compares a report of
 * `rows` rows with a report that has ten times as many rows.
 */
const growthOfPages = async (rig: Rig, { pairs, rows }: Sizes, parts?: number): Promise<Outcome> => {
  const clickhouse = (await rig.clickhouse()).pid;
  const fill = (id: number, count: number) => ({ ...monthOf(id, count), ...(parts !== undefined && { parts }) });
  const [few, many] = [fill(network, rows), fill(otherNetwork, growth * rows)];
  const { service, headers, headersOf } = await openReporting(rig, few, many);
  const others = await headersOf(otherNetwork);
  const requestOf = ({ rows: count, msBetween }: typeof few, sort: string, who: RecordedRequest['headers']) =>
    getRequest(
      `${service.url}/api/v1/coffee?${coffeeWindow(count, msBetween)}&limit=100&sort=${sort}&after=${coffeeMiddle(count, msBetween)}`,
      who,
    );

  const figures: Figure[] = [
    { name: 'first page of a month', value: await timed(requestOf(few, 'asc', headers)), unit: 'ms' },
    { name: 'first page of ten times the rows', value: await timed(requestOf(many, 'asc', others)), unit: 'ms' },
  ];
  const measures: Measure[] = [];
  for (const sort of ['asc', 'desc']) {
    const side = (name: string, request: RecordedRequest) => ({
      name,
      slice: () => measureSlice({ clickhouse, service: service.pid }, () => repeatRequests([request])),
    });
    const sides = [side('F7', requestOf(few, sort, headers)), side('system', requestOf(many, sort, others))];
    const blocks = await alternate({ sides, pairs, warmUpMs });
    const times = { baseline: 'F7', system: 'system', reading: 'times' } as const;
    measures.push(
      compare(blocks, { ...times, name: `CPU a page, ${sort}`, unit: 'µs', cost: cpuPerUnit() }),
      compare(blocks, { ...times, name: `p50 of a page, ${sort}`, unit: 'ms', cost: p50 }),
      compare(mergeIntoGroups(blocks, 4), { ...times, name: `p95 of a page, ${sort}`, unit: 'ms', cost: p95 }),
    );
  }
  return { measures, figures };
};

export const growthPage: Scenario = {
  name: 'growth-page',
  about: 'a JSON page of 100 rows with the total, of a month with --rows rows and with ten times as many, merged',
  run: (rig, sizes) => growthOfPages(rig, sizes),
};

export const growthPageUnmerged: Scenario = {
  name: 'growth-page-unmerged',
  about: 'the same pages from 15 unmerged parts, each of which spans the whole month',
  run: (rig, sizes) => growthOfPages(rig, sizes, 15),
};

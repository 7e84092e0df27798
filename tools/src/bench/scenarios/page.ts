import { cpuPerUnit, mergeSlices, p50, p95, type Side, sliceMs, warmUpMs } from '../harness/slices.ts';
import { type Outcome } from '../harness/report.ts';
import { getRequest, recordRequests, type RecordedRequest, sendRequest } from '../baselines/recorded-requests.ts';
import { alternate, mergeIntoGroups, compare } from '../harness/comparison.ts';
import { measureSlice, type Work } from '../harness/process-usage.ts';
import { type Scenario, type Sizes } from './scenario.ts';
import type { Rig } from '../testbed/testbed.ts';
import { openReporting } from '../testbed/systems.ts';
import { coffeeAfter, coffeeMiddle, coffeeWindow } from '../traffic/fill-coffee.ts';

/** Sends all requests at the same time and waits for the responses; repeats this for `sliceMs`. */
export const repeatRequests = async (requests: readonly RecordedRequest[]): Promise<Work> => {
  const latenciesMs: number[] = [];
  const began = performance.now();
  for (let now = began; now - began < sliceMs; now = performance.now()) {
    await Promise.all(requests.map((request) => sendRequest(request)));
    latenciesMs.push(performance.now() - now);
  }
  return { units: latenciesMs.length, latenciesMs };
};

export const sendOnce = async (request: RecordedRequest): Promise<Work> => {
  const began = performance.now();
  await sendRequest(request);
  return { units: 1, latenciesMs: [performance.now() - began] };
};

/** Sends a request again and again in `readers` concurrent loops for `sliceMs`. */
export const repeatConcurrently = async (request: RecordedRequest, readers: number): Promise<Work> => {
  const work = await Promise.all(Array.from({ length: readers }, () => repeatRequests([request])));
  const latenciesMs = work.flatMap((each) => each.latenciesMs ?? []);
  return { units: latenciesMs.length, latenciesMs };
};

/** Measures a page of `limit` rows from the middle of a network's report. */
const page = async (rig: Rig, { pairs, rows }: Sizes, limit: number): Promise<Outcome> => {
  const engine = await rig.clickhouse();
  const { service, headers } = await openReporting(rig, { rows });
  const path = `/api/v1/coffee?${coffeeWindow(rows)}&limit=${limit}&after=${coffeeMiddle(rows)}`;
  const recorded = await recordRequests(rig, path, headers);
  const request = getRequest(service.url + path, headers);
  const { bytes } = await sendRequest(request);

  const clickhouse = engine.pid;
  const system: Side = {
    name: 'system',
    slice: () => measureSlice({ clickhouse, service: service.pid }, () => repeatRequests([request])),
  };
  const baseline: Side = { name: 'F4', slice: () => measureSlice({ clickhouse }, () => repeatRequests(recorded)) };
  const blocks = await alternate({ sides: [baseline, system], pairs, warmUpMs });

  const times = { baseline: 'F4', system: 'system', reading: 'times' } as const;
  const own = cpuPerUnit('service')(mergeSlices(blocks.flatMap((block) => block['system']!)));
  return {
    measures: [
      compare(blocks, { ...times, name: 'CPU a page, all', unit: 'µs', cost: cpuPerUnit() }),
      compare(blocks, { ...times, name: 'p50 of a page', unit: 'ms', cost: p50 }),
      compare(mergeIntoGroups(blocks, 4), { ...times, name: 'p95 of a page', unit: 'ms', cost: p95 }),
    ],
    figures: [
      { name: 'page', value: bytes / 1024, unit: 'KiB' },
      { name: 'CPU of query-api', value: own / 1_000, unit: 'ms a page' },
    ],
  };
};

export const page100: Scenario = {
  name: 'page-100',
  about: 'a JSON page of 100 rows of coffee from the middle of a network',
  run: (rig, sizes) => page(rig, sizes, 100),
};

export const page1000: Scenario = {
  name: 'page-1000',
  about: 'a JSON page of 1,000 rows of coffee from the middle of a network',
  run: (rig, sizes) => page(rig, sizes, 1000),
};

const currentRows = /\bcoffee_g1 FINAL\b|\bcoffee_live\b/;

/** Returns the same query without FINAL. Its result is the same, because merged parts contain only one version of each row. */
const withoutFinal = (request: RecordedRequest): RecordedRequest => {
  const text = request.body.toString();
  const body = Buffer.from(text.replaceAll(new RegExp(currentRows, 'g'), 'coffee_g1'));
  return { ...request, headers: { ...request.headers, 'content-length': String(body.length) }, body };
};

export const pageFinal: Scenario = {
  name: 'page-final',
  about: 'the queries for a page of 100 rows from merged parts, compared with the same queries without FINAL',
  async run(rig, { pairs, rows }) {
    const { pid: clickhouse } = await rig.clickhouse();
    const { headers } = await openReporting(rig, { rows });
    const recorded = await recordRequests(
      rig,
      `/api/v1/coffee?${coffeeWindow(rows)}&limit=100&after=${coffeeMiddle(rows)}`,
      headers,
    );
    // Skips queries without FINAL, such as the query for changed days, which reads all versions of a row anyway.
    const final = recorded.filter(({ body }) => currentRows.test(body.toString()));
    if (final.length === 0) throw new Error('query-api sent no query that reads current rows');
    const side = (name: string, requests: readonly RecordedRequest[]): Side => ({
      name,
      slice: () => measureSlice({ clickhouse }, () => repeatRequests(requests)),
    });
    const sides = [side('no FINAL', final.map(withoutFinal)), side('system', final)];
    const blocks = await alternate({ sides, pairs, warmUpMs });
    const times = { baseline: 'no FINAL', system: 'system', reading: 'times' } as const;
    return {
      measures: [
        compare(blocks, { ...times, name: 'CPU of the queries', unit: 'µs', cost: cpuPerUnit() }),
        compare(blocks, { ...times, name: 'p50 of the queries', unit: 'ms', cost: p50 }),
        compare(mergeIntoGroups(blocks, 4), { ...times, name: 'p95 of the queries', unit: 'ms', cost: p95 }),
      ],
      figures: [],
    };
  },
};

const limit = 100;

export const pageNth: Scenario = {
  name: 'page-nth',
  about: 'page 1,000 with 100 rows per page (the last page if there are fewer rows), compared with page 1',
  async run(rig, { pairs, rows }) {
    const { pid: clickhouse } = await rig.clickhouse();
    const { service, headers } = await openReporting(rig, { rows });
    const before = Math.min(999, Math.floor(rows / limit) - 2) * limit;
    const path = `/api/v1/coffee?${coffeeWindow(rows)}&limit=${limit}`;
    const side = (name: string, more: string): Side => {
      const request = getRequest(service.url + path + more, headers);
      return { name, slice: () => measureSlice({ clickhouse, service: service.pid }, () => repeatRequests([request])) };
    };
    const sides = [side('page 1', ''), side('system', `&after=${coffeeAfter(before)}`)];
    const blocks = await alternate({ sides, pairs, warmUpMs });
    const times = { baseline: 'page 1', system: 'system', reading: 'times' } as const;
    return {
      measures: [
        compare(blocks, { ...times, name: 'CPU of page 1,000', unit: 'µs', cost: cpuPerUnit() }),
        compare(blocks, { ...times, name: 'p50 of page 1,000', unit: 'ms', cost: p50 }),
        compare(mergeIntoGroups(blocks, 4), { ...times, name: 'p95 of page 1,000', unit: 'ms', cost: p95 }),
      ],
      figures: [{ name: 'rows before the page', value: before, unit: 'rows' }],
    };
  },
};

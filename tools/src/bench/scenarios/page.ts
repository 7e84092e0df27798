import { overhear } from '../baselines/overhear.ts';
import { get, type Replay, send } from '../baselines/replay.ts';
import { alternate, mergeBlocks } from '../harness/alternate.ts';
import { compare } from '../harness/compare.ts';
import { measure, type Work } from '../harness/processes.ts';
import { type Outcome, type Sizes, sliceMs, warmUpMs } from '../harness/scenario.ts';
import { cpuPerUnit, mergeSlices, type Side, type Slice } from '../harness/slice.ts';
import { median, quantile } from '../../rig/statistics.ts';
import { openReporting } from '../testbed/reporting.ts';
import type { Testbed } from '../testbed/rig.ts';
import { coffeeMiddle, coffeeWindow } from '../traffic/fill-coffee.ts';

/** One reader that asks for the same page again and again. */
export const reading = async (requests: readonly Replay[]): Promise<Work> => {
  const latenciesMs: number[] = [];
  const began = performance.now();
  for (let now = began; now - began < sliceMs; now = performance.now()) {
    await Promise.all(requests.map((request) => send(request)));
    latenciesMs.push(performance.now() - now);
  }
  return { units: latenciesMs.length, latenciesMs };
};

export const p50 = ({ latenciesMs }: Slice): number => median(latenciesMs);
export const p95 = ({ latenciesMs }: Slice): number => quantile(latenciesMs, 0.95);

/** A page from the middle of the rows of a network. */
export const page = async (rig: Testbed, { pairs, rows }: Sizes, limit: number): Promise<Outcome> => {
  const engine = await rig.clickhouse();
  const { service, headers } = await openReporting(rig, { rows });
  const path = `/api/v1/coffee?${coffeeWindow(rows)}&limit=${limit}&after=${coffeeMiddle(rows)}`;
  const asked = await overhear(rig, path, headers);
  const request = get(service.url + path, headers);
  const { bytes } = await send(request);

  const clickhouse = engine.pid;
  const system: Side = {
    name: 'system',
    slice: () => measure({ clickhouse, service: service.pid }, () => reading([request])),
  };
  const baseline: Side = { name: 'F4', slice: () => measure({ clickhouse }, () => reading(asked)) };
  const blocks = await alternate({ sides: [baseline, system], pairs, warmUpMs });

  const times = { baseline: 'F4', system: 'system', reading: 'times' } as const;
  const own = cpuPerUnit('service')(mergeSlices(blocks.flatMap((block) => block['system']!)));
  return {
    measures: [
      compare(blocks, { ...times, name: 'CPU a page, all', unit: 'µs', of: cpuPerUnit() }),
      compare(blocks, { ...times, name: 'p50 of a page', unit: 'ms', of: p50 }),
      compare(mergeBlocks(blocks, 4), { ...times, name: 'p95 of a page', unit: 'ms', of: p95 }),
    ],
    metrics: [
      { name: 'page', value: bytes / 1024, unit: 'KiB' },
      { name: 'CPU of query-api', value: own / 1_000, unit: 'ms a page' },
    ],
  };
};

import { overhear } from '../floors/overhear.ts';
import { get, type Replay, send } from '../floors/replay.ts';
import { alternate, asGroups } from '../harness/alternate.ts';
import { compare } from '../harness/compare.ts';
import { measured, type Work } from '../harness/processes.ts';
import { type Outcome, type Sizes, sliceMs, warmUpMs } from '../harness/scenario.ts';
import { cpuPerUnit, merged, type Side, type Slice } from '../harness/slice.ts';
import { median, quantile } from '../harness/statistics.ts';
import { openReporting } from '../rig/reporting.ts';
import type { Rig } from '../rig/rig.ts';
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
export const page = async (rig: Rig, { pairs, rows }: Sizes, limit: number): Promise<Outcome> => {
  const engine = await rig.clickhouse();
  const { service, headers } = await openReporting(rig, { rows });
  const path = `/api/v1/coffee?${coffeeWindow(rows)}&limit=${limit}&after=${coffeeMiddle(rows)}`;
  const asked = await overhear(rig, path, headers);
  const request = get(service.url + path, headers);
  const { bytes } = await send(request);

  const clickhouse = engine.pid;
  const system: Side = {
    name: 'system',
    slice: () => measured({ clickhouse, service: service.pid }, () => reading([request])),
  };
  const floor: Side = { name: 'F4', slice: () => measured({ clickhouse }, () => reading(asked)) };
  const blocks = await alternate({ sides: [floor, system], pairs, warmUpMs });

  const times = { floor: 'F4', system: 'system', reading: 'times' } as const;
  const own = cpuPerUnit('service')(merged(blocks.flatMap((block) => block['system']!)));
  return {
    measures: [
      compare(blocks, { ...times, name: 'CPU a page, all', unit: 'µs', of: cpuPerUnit() }),
      compare(blocks, { ...times, name: 'p50 of a page', unit: 'ms', of: p50 }),
      compare(asGroups(blocks, 4), { ...times, name: 'p95 of a page', unit: 'ms', of: p95 }),
    ],
    figures: [
      { name: 'page', value: bytes / 1024, unit: 'KiB' },
      { name: 'CPU of query-api', value: own / 1_000, unit: 'ms a page' },
    ],
  };
};

import { overhear } from '../baselines/overhear.ts';
import { get, type Replay, send } from '../baselines/replay.ts';
import { alternate } from '../harness/alternate.ts';
import { compare } from '../harness/compare.ts';
import { measure, readPeakBytes } from '../harness/processes.ts';
import type { Scenario } from '../harness/scenario.ts';
import { cpuPerUnit, mergeSlices, type Side, wallPerUnit } from '../harness/slice.ts';
import { median } from '../../rig/statistics.ts';
import { openReporting } from '../testbed/reporting.ts';
import { coffeeWindow } from '../traffic/fill-coffee.ts';
import { p50 } from './page.ts';

/** A slice is a whole download, so there are fewer of them. */
const pairsOf = (pairs: number) => Math.max(2, Math.floor(pairs / 6));

export const csv: Scenario = {
  name: 'csv',
  about: 'the CSV of all rows of coffee of a network, read by one reader as fast as it comes',
  async run(rig, { pairs, rows }) {
    const { pid: clickhouse } = await rig.clickhouse();
    const { service, headers } = await openReporting(rig, { rows });
    const path = `/api/v1/coffee/download?${coffeeWindow(rows)}`;
    const [asked] = await overhear(rig, path, headers);
    const request = get(service.url + path, headers);
    const { bytes, lines } = await send(request, true);
    if (lines !== rows + 1) throw new Error(`the CSV has ${lines} lines, not a head and ${rows} rows`);

    const reading = (replay: Replay) => async () => {
      const received = await send(replay);
      if (received.bytes !== bytes) throw new Error(`the CSV has ${received.bytes} bytes, not ${bytes}`);
      return { units: rows, latenciesMs: [received.firstByteMs] };
    };
    const baseline: Side = { name: 'F5', slice: () => measure({ clickhouse }, reading(asked!)) };
    const node = rig.worker(new URL('../baselines/bare-pipe.js', import.meta.url));
    const { port } = await node.request<{ readonly port: number }>(asked!);
    const piped = get(`http://127.0.0.1:${port}/`, {});
    const pipe: Side = { name: 'pipe', slice: () => measure({ clickhouse, node: node.pid }, reading(piped)) };
    const system: Side = {
      name: 'system',
      slice: () => measure({ clickhouse, node: service.pid }, reading(request)),
    };
    const blocks = await alternate({ sides: [baseline, pipe, system], pairs: pairsOf(pairs) });

    const share = { unit: 'µs', baseline: 'F5', system: 'system', reading: 'share' } as const;
    const slices = (side: string) => blocks.flatMap((block) => block[side]!);
    const megabytesPerSecond = (side: string) => bytes / rows / median(slices(side).map(wallPerUnit));
    return {
      measures: [
        compare(blocks, { ...share, name: 'CPU a row, all', of: cpuPerUnit() }),
        compare(blocks, { ...share, name: 'wall a row', of: wallPerUnit }),
        compare(blocks, {
          ...share,
          baseline: 'pipe',
          reading: 'times',
          name: 'CPU a row, Node',
          of: cpuPerUnit('node'),
        }),
        compare(blocks, { ...share, reading: 'times', name: 'first byte', unit: 'ms', of: p50 }),
      ],
      metrics: [
        { name: 'downloaded', value: megabytesPerSecond('system'), unit: 'MB/s' },
        { name: 'straight from ClickHouse', value: megabytesPerSecond('F5'), unit: 'MB/s' },
        { name: 'rows', value: 1_000_000 / median(slices('system').map(wallPerUnit)), unit: 'rows/s' },
        { name: 'CPU of query-api', value: cpuPerUnit('node')(mergeSlices(slices('system'))), unit: 'µs a row' },
        { name: 'peak memory of query-api', value: readPeakBytes(service.pid) / 1024 ** 2, unit: 'MiB' },
      ],
    };
  },
};

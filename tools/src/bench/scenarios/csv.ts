import { cpuPerUnit, mergeSlices, p50, type Side, wallPerUnit } from '../harness/slices.ts';
import { median } from '../../rig/statistics.ts';
import { getRequest, recordRequests, type RecordedRequest, sendRequest } from '../baselines/recorded-requests.ts';
import { alternate, compare } from '../harness/comparison.ts';
import { measureSlice, readPeakBytes } from '../harness/process-usage.ts';
import type { Scenario } from './scenario.ts';
import { openReporting } from '../testbed/systems.ts';
import { coffeeWindow } from '../traffic/fill-coffee.ts';
import { network, otherNetwork } from '../traffic/network.ts';

/** Returns the number of pairs to measure. It is lower than `--pairs`, because each measurement is a whole download. */
const pairsOf = (pairs: number) => Math.max(2, Math.floor(pairs / 6));

export const csv: Scenario = {
  name: 'csv',
  about: 'download of all coffee rows of a network as CSV, by one reader at full speed',
  async run(rig, { pairs, rows }) {
    const { pid: clickhouse } = await rig.clickhouse();
    const { service, headers } = await openReporting(rig, { rows });
    const path = `/api/v1/coffee/download?${coffeeWindow(rows)}`;
    const [recorded] = await recordRequests(rig, path, headers);
    const request = getRequest(service.url + path, headers);
    const { bytes, lines } = await sendRequest(request, true);
    if (lines !== rows + 1) throw new Error(`the CSV has ${lines} lines; expected a header and ${rows} rows`);

    const reading = (replay: RecordedRequest) => async () => {
      const received = await sendRequest(replay);
      if (received.bytes !== bytes) throw new Error(`the CSV has ${received.bytes} bytes; expected ${bytes}`);
      return { units: rows, latenciesMs: [received.firstByteMs] };
    };
    const baseline: Side = { name: 'F5', slice: () => measureSlice({ clickhouse }, reading(recorded!)) };
    const node = rig.worker(new URL('../baselines/bare-pipe.js', import.meta.url));
    const { port } = await node.request<{ readonly port: number }>(recorded!);
    const piped = getRequest(`http://127.0.0.1:${port}/`, {});
    const pipe: Side = { name: 'pipe', slice: () => measureSlice({ clickhouse, node: node.pid }, reading(piped)) };
    const system: Side = {
      name: 'system',
      slice: () => measureSlice({ clickhouse, node: service.pid }, reading(request)),
    };
    const blocks = await alternate({ sides: [baseline, pipe, system], pairs: pairsOf(pairs) });

    const share = { unit: 'µs', baseline: 'F5', system: 'system', reading: 'share' } as const;
    const slices = (side: string) => blocks.flatMap((block) => block[side]!);
    const megabytesPerSecond = (side: string) => bytes / rows / median(slices(side).map(wallPerUnit));
    return {
      measures: [
        compare(blocks, { ...share, name: 'CPU a row, all', cost: cpuPerUnit() }),
        compare(blocks, { ...share, name: 'wall a row', cost: wallPerUnit }),
        compare(blocks, {
          ...share,
          baseline: 'pipe',
          reading: 'times',
          name: 'CPU a row, Node',
          cost: cpuPerUnit('node'),
        }),
        compare(blocks, { ...share, reading: 'times', name: 'first byte', unit: 'ms', cost: p50 }),
      ],
      figures: [
        { name: 'downloaded', value: megabytesPerSecond('system'), unit: 'MB/s' },
        { name: 'straight from ClickHouse', value: megabytesPerSecond('F5'), unit: 'MB/s' },
        { name: 'rows', value: 1_000_000 / median(slices('system').map(wallPerUnit)), unit: 'rows/s' },
        { name: 'CPU of query-api', value: cpuPerUnit('node')(mergeSlices(slices('system'))), unit: 'µs a row' },
        { name: 'peak memory of query-api', value: readPeakBytes(service.pid) / 1024 ** 2, unit: 'MiB' },
      ],
    };
  },
};

const growth = 10;
const mebibyte = 2 ** 20;
/**
 * Number of small downloads before the measurement. After this number, further small downloads no longer increase the peak memory
 * of query-api.
 */
const warmUpDownloads = 10;

export const csvGrowth: Scenario = {
  name: 'csv-growth',
  about: 'download of --rows rows as CSV, compared with a tenth of the rows: cost per row, and memory',
  async run(rig, { pairs, rows: many }) {
    const { pid: clickhouse } = await rig.clickhouse();
    const few = Math.floor(many / growth);
    const { service, headers, headersOf } = await openReporting(
      rig,
      { network, rows: few },
      { network: otherNetwork, rows: many },
    );
    const others = await headersOf(otherNetwork);
    const download = (rows: number, who: typeof headers) => async () => {
      const { lines } = await sendRequest(
        getRequest(`${service.url}/api/v1/coffee/download?${coffeeWindow(rows)}`, who),
        true,
      );
      if (lines !== rows + 1) throw new Error(`the CSV has ${lines} lines; expected a header and ${rows} rows`);
      return { units: rows };
    };
    const [small, large] = [download(few, headers), download(many, others)];
    for (let time = 0; time < warmUpDownloads; time += 1) await small();
    const peakOfFew = readPeakBytes(service.pid);
    await large();
    const side = (name: string, work: typeof small, times: number): Side => ({
      name,
      slice: () =>
        measureSlice({ clickhouse, service: service.pid }, async () => {
          for (let time = 0; time < times; time += 1) await work();
          return { units: many };
        }),
    });
    // Each slice of the small side repeats its download until it has read as many rows as the large side. A single small download
    // is too short for the resolution of the CPU clock.
    const blocks = await alternate({
      sides: [side('F7', small, growth), side('system', large, 1)],
      pairs: pairsOf(pairs),
    });
    const peakOfMany = readPeakBytes(service.pid);
    const times = { unit: 'µs', baseline: 'F7', system: 'system', reading: 'times' } as const;
    return {
      measures: [
        compare(blocks, { ...times, name: 'CPU a row', cost: cpuPerUnit() }),
        compare(blocks, { ...times, name: 'wall a row', cost: wallPerUnit }),
      ],
      figures: [
        { name: 'peak memory, times that of a tenth', value: peakOfMany / peakOfFew, unit: 'times' },
        { name: 'peak memory, more than of a tenth', value: (peakOfMany - peakOfFew) / mebibyte, unit: 'MiB' },
      ],
    };
  },
};

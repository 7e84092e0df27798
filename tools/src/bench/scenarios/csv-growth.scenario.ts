import { get, send } from '../baselines/replay.ts';
import { alternate } from '../harness/alternate.ts';
import { compare } from '../harness/compare.ts';
import { measure, readPeakBytes } from '../harness/processes.ts';
import type { Scenario } from '../harness/scenario.ts';
import { cpuPerUnit, type Side, wallPerUnit } from '../harness/slice.ts';
import { openReporting } from '../testbed/reporting.ts';
import { coffeeWindow } from '../traffic/fill-coffee.ts';
import { network, otherNetwork } from '../traffic/registry.ts';

const growth = 10;
const mebibyte = 2 ** 20;
/** Until memory has seen what there is to see of the small one. */
const rehearsals = 10;
const pairsOf = (pairs: number) => Math.max(2, Math.floor(pairs / 6));

export const csvGrowth: Scenario = {
  name: 'csv-growth',
  about: 'the CSV of --rows rows, held against that of a tenth: what a row costs, and memory',
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
      const { lines } = await send(get(`${service.url}/api/v1/coffee/download?${coffeeWindow(rows)}`, who), true);
      if (lines !== rows + 1) throw new Error(`the CSV has ${lines} lines, not a head and ${rows} rows`);
      return { units: rows };
    };
    const [small, large] = [download(few, headers), download(many, others)];
    for (let time = 0; time < rehearsals; time += 1) await small();
    const peakOfFew = readPeakBytes(service.pid);
    await large();
    const side = (name: string, work: typeof small, times: number): Side => ({
      name,
      slice: () =>
        measure({ clickhouse, service: service.pid }, async () => {
          for (let time = 0; time < times; time += 1) await work();
          return { units: many };
        }),
    });
    // As many rows on both sides, or the clock of processes would be too coarse for one.
    const blocks = await alternate({
      sides: [side('F7', small, growth), side('system', large, 1)],
      pairs: pairsOf(pairs),
    });
    const peakOfMany = readPeakBytes(service.pid);
    const times = { unit: 'µs', baseline: 'F7', system: 'system', reading: 'times' } as const;
    return {
      measures: [
        compare(blocks, { ...times, name: 'CPU a row', of: cpuPerUnit() }),
        compare(blocks, { ...times, name: 'wall a row', of: wallPerUnit }),
      ],
      metrics: [
        { name: 'peak memory, times that of a tenth', value: peakOfMany / peakOfFew, unit: 'times' },
        { name: 'peak memory, more than of a tenth', value: (peakOfMany - peakOfFew) / mebibyte, unit: 'MiB' },
      ],
    };
  },
};

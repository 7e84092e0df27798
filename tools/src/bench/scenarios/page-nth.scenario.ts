import { get } from '../baselines/replay.ts';
import { alternate, mergeBlocks } from '../harness/alternate.ts';
import { compare } from '../harness/compare.ts';
import { measure } from '../harness/processes.ts';
import { type Scenario, warmUpMs } from '../harness/scenario.ts';
import { cpuPerUnit, type Side } from '../harness/slice.ts';
import { openReporting } from '../testbed/reporting.ts';
import { coffeeAfter, coffeeWindow } from '../traffic/fill-coffee.ts';
import { p50, p95, reading } from './page.ts';

const limit = 100;

export const pageNth: Scenario = {
  name: 'page-nth',
  about: 'page 1,000 of 100 rows, held against page 1; of fewer rows the last page',
  async run(rig, { pairs, rows }) {
    const { pid: clickhouse } = await rig.clickhouse();
    const { service, headers } = await openReporting(rig, { rows });
    const before = Math.min(999, Math.floor(rows / limit) - 2) * limit;
    const path = `/api/v1/coffee?${coffeeWindow(rows)}&limit=${limit}`;
    const side = (name: string, more: string): Side => {
      const request = get(service.url + path + more, headers);
      return { name, slice: () => measure({ clickhouse, service: service.pid }, () => reading([request])) };
    };
    const sides = [side('page 1', ''), side('system', `&after=${coffeeAfter(before)}`)];
    const blocks = await alternate({ sides, pairs, warmUpMs });
    const times = { baseline: 'page 1', system: 'system', reading: 'times' } as const;
    return {
      measures: [
        compare(blocks, { ...times, name: 'CPU of page 1,000', unit: 'µs', of: cpuPerUnit() }),
        compare(blocks, { ...times, name: 'p50 of page 1,000', unit: 'ms', of: p50 }),
        compare(mergeBlocks(blocks, 4), { ...times, name: 'p95 of page 1,000', unit: 'ms', of: p95 }),
      ],
      metrics: [{ name: 'rows before the page', value: before, unit: 'rows' }],
    };
  },
};

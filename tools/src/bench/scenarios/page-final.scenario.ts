import { overhear } from '../baselines/overhear.ts';
import type { Replay } from '../baselines/replay.ts';
import { alternate, mergeBlocks } from '../harness/alternate.ts';
import { compare } from '../harness/compare.ts';
import { measure } from '../harness/processes.ts';
import { type Scenario, warmUpMs } from '../harness/scenario.ts';
import { cpuPerUnit, type Side } from '../harness/slice.ts';
import { openReporting } from '../testbed/reporting.ts';
import { coffeeMiddle, coffeeWindow } from '../traffic/fill-coffee.ts';
import { p50, p95, reading } from './page.ts';

const standing = /\bcoffee_g1 FINAL\b|\bcoffee_live\b/;

/** The same of all versions of each row, which merged parts hold one of. */
const withoutFinal = (asked: Replay): Replay => {
  const text = asked.body.toString();
  const body = Buffer.from(text.replaceAll(new RegExp(standing, 'g'), 'coffee_g1'));
  return { ...asked, headers: { ...asked.headers, 'content-length': String(body.length) }, body };
};

export const pageFinal: Scenario = {
  name: 'page-final',
  about: 'the queries of a page of 100 rows from merged parts, held against the same without FINAL',
  async run(rig, { pairs, rows }) {
    const { pid: clickhouse } = await rig.clickhouse();
    const { headers } = await openReporting(rig, { rows });
    const asked = await overhear(
      rig,
      `/api/v1/coffee?${coffeeWindow(rows)}&limit=100&after=${coffeeMiddle(rows)}`,
      headers,
    );
    // What else is asked for, such as which days have changed, asks for all versions.
    const final = asked.filter(({ body }) => standing.test(body.toString()));
    if (final.length === 0) throw new Error('no rows that stand were asked for');
    const side = (name: string, requests: readonly Replay[]): Side => ({
      name,
      slice: () => measure({ clickhouse }, () => reading(requests)),
    });
    const sides = [side('no FINAL', final.map(withoutFinal)), side('system', final)];
    const blocks = await alternate({ sides, pairs, warmUpMs });
    const times = { baseline: 'no FINAL', system: 'system', reading: 'times' } as const;
    return {
      measures: [
        compare(blocks, { ...times, name: 'CPU of the queries', unit: 'µs', of: cpuPerUnit() }),
        compare(blocks, { ...times, name: 'p50 of the queries', unit: 'ms', of: p50 }),
        compare(mergeBlocks(blocks, 4), { ...times, name: 'p95 of the queries', unit: 'ms', of: p95 }),
      ],
      metrics: [],
    };
  },
};

import { cpuPerUnit, p50, warmUpMs } from '../harness/slices.ts';
import { type Outcome } from '../harness/report.ts';
import { getRequest, type RecordedRequest, sendRequest } from '../baselines/recorded-requests.ts';
import { alternate, compare } from '../harness/comparison.ts';
import { measureSlice } from '../harness/process-usage.ts';
import { type Scenario } from './scenario.ts';
import { openReporting } from '../testbed/systems.ts';
import { coffeeWindow, monthOf } from '../traffic/fill-coffee.ts';
import { network, otherNetwork } from '../traffic/network.ts';
import { growth } from './growth-page.ts';
import { repeatRequests } from './page.ts';

const changed = 100;

/** Reads the cursor of now, and returns one before the last `changed` of `rows` rows. */
const readCursor = async (url: string, headers: Record<string, string>, rows: number): Promise<string> => {
  const response = await fetch(`${url}/api/v1/coffee/changes/start`, { headers });
  const { data } = (await response.json()) as { readonly data: { readonly next_since: string } };
  const cursor = JSON.parse(Buffer.from(data.next_since, 'base64url').toString()) as object;
  return Buffer.from(JSON.stringify({ ...cursor, version: String(rows - changed) })).toString('base64url');
};

export const growthChanges: Scenario = {
  name: 'growth-changes',
  about: 'a poll that finds 100 changes in a month with --rows rows, compared with ten times as many',
  async run(rig, { pairs, rows }): Promise<Outcome> {
    const clickhouse = (await rig.clickhouse()).pid;
    const [few, many] = [monthOf(network, rows), monthOf(otherNetwork, growth * rows)];
    const { service, headers, headersOf } = await openReporting(rig, few, many);
    const pollOf = async (count: number, who: Record<string, string>) =>
      getRequest(
        `${service.url}/api/v1/coffee/changes?limit=1000&since=${await readCursor(service.url, who, count)}`,
        who,
      );
    const file = `${service.url}/api/v1/coffee/download?${coffeeWindow(few.rows, few.msBetween)}&format=ndjson`;
    const side = (name: string, request: RecordedRequest) => ({
      name,
      slice: () => measureSlice({ clickhouse, service: service.pid }, () => repeatRequests([request])),
    });
    const poll = await pollOf(few.rows, headers);
    const sides = [side('F7', poll), side('system', await pollOf(many.rows, await headersOf(otherNetwork)))];
    const blocks = await alternate({ sides, pairs, warmUpMs });
    const began = performance.now();
    await sendRequest(getRequest(file, headers));
    const downloadMs = performance.now() - began;
    const times = { baseline: 'F7', system: 'system', reading: 'times' } as const;
    return {
      measures: [
        compare(blocks, { ...times, name: 'CPU a poll', unit: 'µs', cost: cpuPerUnit() }),
        compare(blocks, { ...times, name: 'p50 of a poll', unit: 'ms', cost: p50 }),
      ],
      figures: [
        { name: 'poll', value: (await sendRequest(poll)).bytes / 1024, unit: 'KiB' },
        { name: 'file of the month', value: downloadMs, unit: 'ms' },
      ],
    };
  },
};

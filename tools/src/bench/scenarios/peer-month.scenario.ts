import { openClickHouseReader, type Row, Sql } from '@popsvc/platform/clickhouse';
import { get, type Replay, send } from '../baselines/replay.ts';
import { alternate, mergeBlocks } from '../harness/alternate.ts';
import { compare, type Measure } from '../harness/compare.ts';
import { measure, type CpuSource } from '../harness/processes.ts';
import { type Metric, type Outcome, type Scenario, type Sizes, warmUpMs } from '../harness/scenario.ts';
import { cpuPerUnit, type Side, wallPerUnit } from '../harness/slice.ts';
import { median } from '../../rig/statistics.ts';
import { campaignTotalsSql } from '../competitor/reports.ts';
import { diskUse } from '../testbed/disk-use.ts';
import { openMonth } from '../testbed/month.ts';
import type { Testbed } from '../testbed/rig.ts';
import { createMonth, monthFromMs, monthWindow } from '../traffic/month.ts';
import { network } from '../traffic/registry.ts';
import { p50, p95, reading } from './page.ts';

const window = `from=${monthWindow.from}&to=${monthWindow.to}`;
const nearTheEnd = new Date(monthFromMs + 30 * 86_400_000).toISOString();
/** A slice is a whole download or query, so there are fewer of them. */
const pairsOfWhole = (pairs: number) => Math.max(2, Math.floor(pairs / 6));

const instant = (iso: string) => `fromUnixTimestamp64Milli(toInt64(${Date.parse(iso)}), 'UTC')`;
/** The same question in the words of each side. */
const campaignsOfMonth = `
SELECT campaign_ref, uniqExact((vendor, event_id)) AS plays, uniqExactIf(watcher_id, detection_id != '') AS people,
  sum(is_impression) AS impressions, sum(is_view) AS views, sum(watch_ms) / 1000 AS watched
FROM coffee_live WHERE network_id = ${network} AND ts >= ${instant(monthWindow.from)} AND ts < ${instant(monthWindow.to)}
GROUP BY campaign_ref ORDER BY campaign_ref`;

const asText = (rows: readonly Row[]) =>
  JSON.stringify(rows.map(({ campaign_ref, ...sums }) => [campaign_ref, ...Object.values(sums).map(Number)]));

const timedMs = async (request: Replay): Promise<number> => {
  const began = performance.now();
  await send(request);
  return performance.now() - began;
};

const run = async (rig: Testbed, { pairs, rows: wanted }: Sizes): Promise<Outcome> => {
  const told = createMonth(wanted);
  const { peer, service, headers, writer } = await openMonth(rig, told);
  const { rows } = told;
  const engine = await rig.clickhouse();
  const reader = openClickHouseReader({ url: engine.url, ...engine.reader });
  rig.addCleanup(() => reader.close());
  const spenders = { clickhouse: engine.pid, service: service.pid };
  const measures: Measure[] = [];
  const metrics: Metric[] = [];

  const pagesOf = (after: readonly [string, string]) =>
    [
      ['peer', peer.spenders, get(`${peer.url}/api/v1/coffee?${window}&limit=100${after[0]}`, peer.headers)],
      ['system', spenders, get(`${service.url}/api/v1/coffee?${window}&limit=100${after[1]}`, headers)],
    ] as const;
  const pages = [
    ['at the start', pagesOf(['', ''])],
    ['at the end', pagesOf([`&after=${nearTheEnd}_0_0`, `&after=${nearTheEnd}`])],
  ] as const;
  for (const [name, , request] of pages[0][1])
    metrics.push({ name: `${name}, first page of the month`, value: await timedMs(request), unit: 'ms' });
  for (const [where, requests] of pages) {
    const sides = requests.map(([name, spent, request]): Side => ({
      name,
      slice: () => measure(spent, () => reading([request])),
    }));
    const blocks = await alternate({ sides, pairs, warmUpMs });
    const times = { baseline: 'peer', system: 'system', reading: 'times' } as const;
    measures.push(
      compare(blocks, { ...times, name: `CPU a page ${where}`, unit: 'µs', of: cpuPerUnit() }),
      compare(blocks, { ...times, name: `p50 of a page ${where}`, unit: 'ms', of: p50 }),
      compare(mergeBlocks(blocks, 4), { ...times, name: `p95 of a page ${where}`, unit: 'ms', of: p95 }),
    );
  }

  const share = { unit: 'µs', baseline: 'peer', system: 'system', reading: 'share' } as const;
  const whole = async (
    asked: Readonly<Record<'peer' | 'system', () => Promise<unknown>>>,
    units: number,
    unit: string,
  ) => {
    const side = (name: keyof typeof asked, spent: Readonly<Record<string, CpuSource>>): Side => ({
      name,
      slice: () => measure(spent, () => asked[name]().then(() => ({ units }))),
    });
    const sides = [side('peer', peer.spenders), side('system', spenders)];
    const blocks = await alternate({ sides, pairs: pairsOfWhole(pairs) });
    measures.push(
      compare(blocks, { ...share, name: `CPU a ${unit}`, of: cpuPerUnit() }),
      compare(blocks, { ...share, name: `wall a ${unit}`, of: wallPerUnit }),
    );
    return (name: keyof typeof asked) => median(blocks.flatMap((block) => block[name]!).map(wallPerUnit));
  };

  const download = (url: string, who: Replay['headers']) => async () => {
    const { lines } = await send(get(`${url}/api/v1/coffee/download?${window}`, who), true);
    if (lines !== rows + 1) throw new Error(`the CSV of ${url} has ${lines} lines, not a head and ${rows} rows`);
  };
  const csvUs = await whole(
    { peer: download(peer.url, peer.headers), system: download(service.url, headers) },
    rows,
    'row of CSV',
  );
  for (const name of ['peer', 'system'] as const)
    metrics.push({ name: `${name}, CSV`, value: 1_000_000 / csvUs(name), unit: 'rows/s' });

  const ask = {
    peer: async () => (await peer.pool.query<Row>(campaignTotalsSql, [network, monthWindow.from, monthWindow.to])).rows,
    system: () => reader.rows<Row>(new Sql([campaignsOfMonth], [])),
  };
  const [theirs, ours] = [asText(await ask.peer()), asText(await ask.system())];
  if (theirs !== ours) throw new Error(`the peer sums up ${theirs}, and we ${ours}`);
  const sumUs = await whole(ask, 1, 'month by campaign');
  for (const name of ['peer', 'system'] as const)
    metrics.push({ name: `${name}, month by campaign`, value: sumUs(name) / 1_000, unit: 'ms' });

  const disk = await diskUse(rig, writer, peer.pool);
  for (const [name, bytes] of Object.entries(disk)) metrics.push({ name, value: bytes / rows, unit: 'bytes a row' });
  return { measures, metrics: [{ name: 'rows', value: rows, unit: 'on both sides' }, ...metrics] };
};

export const peerMonth: Scenario = {
  name: 'peer-month',
  about: 'a month of plays with audience, told to us and to the peer: pages, CSV, the month by campaign, and disk',
  run,
};

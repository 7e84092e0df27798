import { cpuPerUnit, type Side, wallPerUnit } from '../harness/slices.ts';
import { type Figure, type Outcome } from '../harness/report.ts';
import { median } from '../../rig/statistics.ts';
import { openClickHouseReader, type Row, Sql } from '@popsvc/platform/clickhouse';
import { getRequest, type RecordedRequest, sendRequest } from '../baselines/recorded-requests.ts';
import { alternate, compare, type Measure } from '../harness/comparison.ts';
import { measureSlice, type CpuMeter, type Work } from '../harness/process-usage.ts';
import { type Scenario, type Sizes } from './scenario.ts';
import { campaignSummarySql } from '../competitor/reports.ts';
import { type Competitor, readDiskUse, loadMonth } from '../testbed/competitor.ts';
import { intakePath, openIntake } from '../testbed/systems.ts';
import type { Rig } from '../testbed/testbed.ts';
import { month, monthWindow } from '../traffic/month.ts';
import { network } from '../traffic/network.ts';

const window = `from=${monthWindow.from}&to=${monthWindow.to}`;
/**
 * Returns the number of pairs to measure for downloads and queries. It is lower than `--pairs`, because each measurement runs a
 * whole download or query.
 */
const pairsOfWhole = (pairs: number) => Math.max(2, Math.floor(pairs / 6));

const instant = (iso: string) => `fromUnixTimestamp64Milli(toInt64(${Date.parse(iso)}), 'UTC')`;
/** The competitor's `campaignSummarySql`, translated to ClickHouse. */
const campaignsOfMonth = `
SELECT campaign_ref, uniqExact((vendor, event_id)) AS plays, uniqExactIf(watcher_id, detection_id != '') AS people,
  sum(is_impression) AS impressions, sum(is_view) AS views, sum(watch_ms) / 1000 AS watched
FROM coffee_live WHERE network_id = ${network} AND ts >= ${instant(monthWindow.from)} AND ts < ${instant(monthWindow.to)}
GROUP BY campaign_ref ORDER BY campaign_ref`;

const asText = (rows: readonly Row[]) =>
  JSON.stringify(rows.map(({ campaign_ref, ...sums }) => [campaign_ref, ...Object.values(sums).map(Number)]));

const timedMs = async (request: RecordedRequest): Promise<number> => {
  const began = performance.now();
  await sendRequest(request);
  return performance.now() - began;
};

type Meters = Readonly<Record<string, CpuMeter>>;
type SideName = 'competitor' | 'system';

/** `spent`: the processes whose CPU time counts. `during`: runs the work of a slice, with other work at the same time. */
interface Conditions {
  readonly spent: Readonly<Record<SideName, Meters>>;
  readonly during: (side: SideName, work: () => Promise<Work>) => Promise<Work>;
}

interface Traffic {
  /** The processes that accept and project the plays of popsvc. */
  readonly meters: Meters;
  /** Posts plays to one side until the work is done. */
  readonly whilePosting: Conditions['during'];
}

/** Starts popsvc's command-api and projectors, and posts a thousand plays a second, a hundred in each request. */
const openTraffic = async (rig: Rig, competitor: Competitor): Promise<Traffic> => {
  const { service: commandApi, url, headers, post } = await openIntake(rig);
  const projectors = await rig.service('projectors');
  const targets = {
    competitor: { url: competitor.url + intakePath, headers: { ...headers, ...competitor.headers } },
    system: { url, headers },
  };
  return {
    meters: { commandApi: commandApi.pid, projectors: projectors.pid, store: (await rig.eventStore()).pid },
    async whilePosting(side, work) {
      const end = new AbortController();
      const postUntilDone = async () => {
        while (!end.signal.aborted) await post({ ...targets[side], events: 100, connections: 1, everyMs: 100 });
      };
      const [done] = await Promise.all([work().finally(() => end.abort()), postUntilDone()]);
      return done;
    },
  };
};

const run = async (rig: Rig, { pairs, rows: wanted }: Sizes): Promise<Outcome> => {
  const data = month(wanted);
  const { competitor, service, headers, writer } = await loadMonth(rig, data);
  const { rows } = data;
  const engine = await rig.clickhouse();
  const reader = openClickHouseReader({ url: engine.url, ...engine.reader });
  rig.onClose(() => reader.close());
  const meters = { clickhouse: engine.pid, service: service.pid };
  const measures: Measure[] = [];
  const figures: Figure[] = [];

  const firstPages = {
    competitor: getRequest(`${competitor.url}/api/v1/coffee?${window}&limit=100`, competitor.headers),
    system: getRequest(`${service.url}/api/v1/coffee?${window}&limit=100`, headers),
  };
  const firstPageMs = { competitor: await timedMs(firstPages.competitor), system: await timedMs(firstPages.system) };
  figures.push(
    { name: 'competitor, first page of the month', value: firstPageMs.competitor, unit: 'ms' },
    { name: 'system, first page of the month', value: firstPageMs.system, unit: 'ms' },
    {
      name: 'first page of the month, of the speed',
      value: firstPageMs.competitor / firstPageMs.system,
      unit: 'times',
    },
  );
  const share = { unit: 'µs', baseline: 'competitor', system: 'system', reading: 'share' } as const;
  const whole = async (
    requests: Readonly<Record<SideName, () => Promise<unknown>>>,
    units: number,
    unit: string,
    { spent, during }: Conditions = {
      spent: { competitor: competitor.meters, system: meters },
      during: (_, work) => work(),
    },
  ) => {
    const timed = (name: SideName) => async () => {
      const began = performance.now();
      await requests[name]();
      return { units, wallMs: performance.now() - began };
    };
    const side = (name: SideName): Side => ({
      name,
      slice: () => measureSlice(spent[name], () => during(name, timed(name))),
    });
    const sides = [side('competitor'), side('system')];
    const blocks = await alternate({ sides, pairs: pairsOfWhole(pairs) });
    measures.push(
      compare(blocks, { ...share, name: `CPU a ${unit}`, cost: cpuPerUnit() }),
      compare(blocks, { ...share, name: `wall a ${unit}`, cost: wallPerUnit }),
    );
    return (name: SideName) => median(blocks.flatMap((block) => block[name]!).map(wallPerUnit));
  };

  const download = (url: string, who: RecordedRequest['headers']) => async () => {
    const { lines } = await sendRequest(getRequest(`${url}/api/v1/coffee/download?${window}`, who), true);
    if (lines !== rows + 1) throw new Error(`the CSV of ${url} has ${lines} lines; expected a header and ${rows} rows`);
  };
  const downloads = {
    competitor: download(competitor.url, competitor.headers),
    system: download(service.url, headers),
  };
  const csvUs = await whole(downloads, rows, 'row of CSV');
  for (const name of ['competitor', 'system'] as const)
    figures.push({ name: `${name}, CSV`, value: 1_000_000 / csvUs(name), unit: 'rows/s' });

  const queries = {
    competitor: async () =>
      (await competitor.pool.query<Row>(campaignSummarySql, [network, monthWindow.from, monthWindow.to])).rows,
    system: () => reader.rows<Row>(new Sql([campaignsOfMonth], [])),
  };
  const [competitorSums, systemSums] = [asText(await queries.competitor()), asText(await queries.system())];
  if (competitorSums !== systemSums)
    throw new Error(`the sums differ: the competitor returns ${competitorSums}, and popsvc returns ${systemSums}`);
  const sumUs = await whole(queries, 1, 'month by campaign');
  for (const name of ['competitor', 'system'] as const)
    figures.push({ name: `${name}, month by campaign`, value: sumUs(name) / 1_000, unit: 'ms' });

  const disk = await readDiskUse(rig, writer, competitor.pool);
  for (const [name, bytes] of Object.entries(disk)) figures.push({ name, value: bytes / rows, unit: 'bytes a row' });
  figures.push({
    name: 'log and read models, of the size',
    value: disk['system, log and read models'] / disk['competitor, tables and indexes'],
    unit: 'times',
  });
  // Last, because the plays of the traffic take disk space.
  const traffic = await openTraffic(rig, competitor);
  await whole(downloads, rows, 'row of CSV while plays come in', {
    spent: { competitor: competitor.meters, system: { ...meters, ...traffic.meters } },
    during: traffic.whilePosting,
  });
  return { measures, figures: [{ name: 'rows', value: rows, unit: 'on both sides' }, ...figures] };
};

export const competitorMonth: Scenario = {
  name: 'competitor-month',
  about:
    'a month of plays with audience, in popsvc and in the competitor: first page, CSV, totals by campaign, disk space',
  run,
};

import { hash } from 'node:crypto';
import { coffeeDataset } from '@popsvc/read-models/datasets';
import { type Delivery, generateDeliveries, createWorld } from '@popsvc/tools/simulator';
import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { startTestServices, type TestServices } from '../support/test-services.ts';
import { chooseSeed } from '../support/rounds.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const devices = isLong ? 6 : 2;
const hours = isLong ? 24 : 1;
const seed = chooseSeed(11);

const toMs = Date.parse('2026-03-29T12:00:00Z');
const options = { seed, tag: 'day', fromMs: toMs - hours * 3_600_000, toMs };
const endpoints = {
  plays: ['/pop/events', 'events'],
  detections: ['/audience/detections', 'detections'],
  heartbeats: ['/heartbeats', 'heartbeats'],
  intervals: ['/intervals', 'intervals'],
} as const;

type Batch = Pick<Delivery, 'vendor' | 'intake'> & { readonly events: readonly unknown[] };

/** Columns that depend on the time and order of receipt. */
const receiptColumns = new Set(['DELTA_ID', 'SF_DELTA_ID', 'STREAM_STAGE_TIMESTAMP', 'SILVER_STAGE_TIMESTAMP']);

const toBatches = (day: readonly Delivery[]): Batch[] =>
  day.map(({ vendor, intake, items }) => ({ vendor, intake, events: items.map(({ event }) => event) }));

/** Every event three times, in random order, in batches of random sizes. */
const repeatThreeTimes = (day: readonly Delivery[]): Batch[] => {
  const groups = new Map<string, Delivery[]>();
  for (const delivery of day) {
    const group = `${delivery.vendor} ${delivery.intake}`;
    groups.set(group, [...(groups.get(group) ?? []), delivery]);
  }
  const sizes = fc.sample(fc.integer({ min: 1, max: 1_000 }), { seed, numRuns: 10_000 });
  // One random number for each event and one for each batch.
  const draws = 4 * day.flatMap(({ items }) => items).length;
  const order = fc.sample(fc.double({ noNaN: true, min: 0, max: 1 }), { seed, numRuns: Math.min(draws, 2_000_000) });
  let [at, draw] = [0, 0];
  const shuffled = <T>(list: readonly T[]): T[] =>
    list
      .map((item) => [order[draw++ % order.length]!, item] as const)
      .sort(([one], [other]) => one - other)
      .map(([, item]) => item);
  const batches = [...groups.values()].flatMap((group) => {
    const { vendor, intake } = group[0]!;
    const events = group.flatMap(({ items }) => items.map(({ event }) => event));
    const remaining = shuffled([...events, ...events, ...events]);
    const cut: Batch[] = [];
    while (remaining.length > 0) cut.push({ vendor, intake, events: remaining.splice(0, sizes[at++ % sizes.length]) });
    return cut;
  });
  return shuffled(batches);
};

describe(`a day sent three times, shuffled, in other batches (${devices} devices, ${hours} h, seed ${seed})`, function () {
  this.timeout(isLong ? 3_600_000 : 180_000);
  const world = createWorld({ networks: 1, devices });
  const day = [...generateDeliveries(world.networks[0]!, options)];
  const plays = new Set(
    day
      .filter(({ intake }) => intake === 'plays')
      .flatMap(({ items }) => items.map(({ event }) => JSON.stringify(event))),
  ).size;
  let services: TestServices | undefined;
  afterEach(() => services?.close());

  /**
   * Sends all batches to new services on an empty log, in parts that are projected one after the other. Returns the hash of the
   * sorted report and its number of rows.
   */
  const readReport = async (batches: readonly Batch[]) => {
    // Only the report coffee is read.
    services = await startTestServices(isLong ? {} : { of: ['registry', 'coffee'] });
    const { ingestUrl, queryUrl } = services;
    await services.register(world.registry);
    const keys = new Map<string, string>();
    for (const vendor of world.networks[0]!.vendors.keys()) keys.set(vendor, await services.apiKey(100, vendor));
    const send = async ({ vendor, intake, events }: Batch) => {
      const [path, list] = endpoints[intake];
      const answer = await fetch(`${ingestUrl}/popsvc/v1${path}`, {
        method: 'POST',
        headers: { 'x-api-key': keys.get(vendor)!, 'content-type': 'application/json' },
        body: JSON.stringify({ [list]: events }),
      });
      expect(answer.status, await answer.text()).to.equal(202);
    };
    // Projected in parts, so that events arrive before and after the others of their play are projected.
    const parts = 4;
    for (let part = 0; part < parts; part += 1) {
      const remaining = batches.filter((_, at) => at % parts === part);
      const sender = async () => {
        for (let batch = remaining.shift(); batch; batch = remaining.shift()) await send(batch);
      };
      await Promise.all([sender(), sender(), sender(), sender()]);
      await services.project();
    }
    const url = `${queryUrl}/api/v1/coffee/download?from=2026-03-28&to=2026-03-30`;
    const text = await (await fetch(url, { headers: { 'x-api-key': [...keys.values()][0]! } })).text();
    const rows = parse<Record<string, string>>(text, { columns: true, record_delimiter: '\r\n' });
    const kept = coffeeDataset.columns.map(({ name }) => name).filter((name) => !receiptColumns.has(name));
    const lines = rows.map((row) => JSON.stringify(kept.map((name) => row[name])));
    await services.close();
    services = undefined;
    return {
      rows: rows.length,
      plays: new Set(rows.map((row) => row['EVENT_ID'])).size,
      hash: hash('sha256', lines.sort().join('\n')),
    };
  };

  it('gives the same report as a day sent once', async () => {
    const first = await readReport(toBatches(day));
    expect(first.plays).to.equal(plays);
    expect(await readReport(repeatThreeTimes(day))).to.deep.equal(first);
    if (isLong) process.stdout.write(`      ${JSON.stringify(first)}\n`);
  });
});

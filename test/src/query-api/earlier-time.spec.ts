import { intakeStream } from '@popsvc/contracts/events';
import { findReplay, planReplay, registerProjection } from '@popsvc/platform/postgres';
import { liveBatchLimits } from '@popsvc/projectors/engine';
import { runReplay } from '@popsvc/projectors/engine/replay';
import { allProjections } from '@popsvc/projectors/projections';
import { dropGenerationTables } from '@popsvc/read-models/generations';
import { progressTable } from '@popsvc/read-models/tables';
import { expect } from 'chai';
import fc from 'fast-check';
import { listEvents } from '../support/list-events.ts';
import { chooseRounds, chooseSeed } from '../support/rounds.ts';
import { smallRegistry } from '../support/small-registry.ts';
import { startTestServices, type TestServices } from '../support/test-services.ts';
import { bearer, issueToken } from './test-query-api.fixture.ts';

const rounds = chooseRounds(20, 300);
const seed = chooseSeed(20_261_129);
const at = (second: number) => new Date(Date.parse('2026-08-20T14:00:00.000Z') + second * 1_000).toISOString();
const window = 'from=2026-08-20T00:00:00Z&to=2026-08-21T00:00:00Z';
const datasets = ['coffee', 'watcher-summary'] as const;
type Dataset = (typeof datasets)[number];

const second = fc.integer({ min: 0, max: 60 });
const steps = {
  plays: fc.record({
    kind: fc.constant('plays' as const),
    ids: fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }),
  }),
  detection: fc.record({ kind: fc.constant('detection' as const), id: fc.integer({ min: 1, max: 5 }), second }),
  heartbeat: fc.record({ kind: fc.constant('heartbeat' as const), second }),
  move: fc.record({ kind: fc.constant('move' as const), second, location: fc.integer({ min: 12, max: 13 }) }),
};
type Step = {
  readonly [Kind in keyof typeof steps]: (typeof steps)[Kind] extends fc.Arbitrary<infer Value> ? Value : never;
}[keyof typeof steps];

const registry = {
  ...smallRegistry,
  sites: [2, 3].map((id) => ({ ...smallRegistry.sites[0], id, name: `Site ${id}` })),
  locations: [2, 3].map((site) => ({ id: site + 10, name: `Floor of ${site}`, site })),
  devices: [{ ...smallRegistry.devices[0], location: 12 }],
};

const playOf = (id: number) => ({
  eventId: `P${id}`,
  screenId: 'screen-1',
  campaignId: 'C-100',
  creativeId: 'CR-1',
  playedAt: at(id * 2),
  durationMs: 10_000,
});

/** Reads a report while it changes, and each time of it again at the end. */
describe(`a report of an earlier time (${rounds} steps, seed ${seed})`, function () {
  this.timeout(300_000 + rounds * 10_000);
  const all = fc.sample(fc.oneof(...Object.values(steps)), { seed, numRuns: rounds });
  const seen: { readonly dataset: Dataset; readonly asOf: string; readonly text: string }[] = [];
  let services: TestServices;
  let headers: Record<string, string>;
  let revision = 0;

  const read = async (dataset: string, query = '', path = '') => {
    const response = await fetch(`${services.queryUrl}/api/v1/${dataset}${path}?${window}&limit=1000${query}`, {
      headers,
    });
    const text = await response.text();
    return { status: response.status, asOf: response.headers.get('x-data-as-of')!, text };
  };
  /** Reads the report once its header is not older than its rows: query-api reads the progress four times a second. */
  const readCurrent = async (dataset: Dataset) => {
    const [row] = await services.writer.rows<{ ms: string }>(
      `SELECT toString(toUnixTimestamp64Milli(max(as_of))) AS ms FROM ${progressTable(dataset)}`,
    );
    for (;;) {
      const found = await read(dataset);
      if (Date.parse(found.asOf) >= Number(row!.ms)) return found;
    }
  };
  const apply = async (step: Step): Promise<unknown> => {
    switch (step.kind) {
      case 'plays':
        return services.appendAll(
          intakeStream('pop', 1, 'acme', Date.now()),
          listEvents('PlaysRecorded', step.ids.map(playOf), step.ids.length),
        );
      case 'detection': {
        revision += 1;
        const times = { startedAt: at(step.second), endedAt: at(step.second + 8) };
        return services.detection({ detectionId: `D${step.id}`, revision, ...times, watches: [times] });
      }
      case 'heartbeat':
        return services.heartbeat({ deviceId: 4, feederId: 5, at: at(step.second) });
      case 'move':
        return services.register({
          devices: [{ ...registry.devices[0], location: step.location, effective_from: at(step.second) }],
        });
    }
  };
  const replay = async (dataset: Dataset): Promise<void> => {
    const { postgres, parts } = services;
    const projection = allProjections.find(({ name }) => name === dataset)!;
    const { version } = projection;
    const planned = (await planReplay(postgres, { projection: dataset, version, verify: true }))!;
    const dependencies = { ...parts, postgres, projections: allProjections, keepMs: 3_600_000 };
    await runReplay(dependencies, planned, projection, new AbortController().signal);
    expect(await findReplay(postgres, planned.id)).to.include({ state: 'done', verified: true, error: null });
  };
  const expectSeen = async () => {
    for (const { dataset, asOf, text } of seen) {
      const again = await read(dataset, `&as_of=${asOf}`);
      expect(again.text, `${dataset} of ${asOf}`).to.equal(text);
      expect(again.asOf).to.equal(asOf);
    }
  };

  before(async () => {
    services = await startTestServices({ of: ['registry', ...datasets] });
    for (const { name, version } of allProjections) await registerProjection(services.postgres, name, version);
    headers = bearer((await issueToken(services.queryUrl, services.postgres, [1])).token);
    await services.register(registry);
    for (const [index, step] of all.entries()) {
      await apply(step);
      // Some batches put their networks off, whose rows are then derived in units.
      await services.project({ ...liveBatchLimits, ...(index % 3 === 2 && { unitPairs: 1, batchPairs: 1 }) });
      for (const dataset of datasets) {
        const { asOf, text } = await readCurrent(dataset);
        seen.push({ dataset, asOf, text });
      }
    }
  });
  after(() => services.close());

  it('is the report that was read then', async () => {
    expect(new Set(seen.map(({ text }) => text)).size).to.be.greaterThan(rounds / 2);
    await expectSeen();
  });

  it('has its rows in files, and on pages', async () => {
    const { asOf, text } = seen[Math.floor(seen.length / 2 / 2) * 2]!;
    const { rows, total } = (JSON.parse(text) as { data: { rows: { DETAILID: number }[]; total: number } }).data;
    const file = await read('coffee', `&as_of=${asOf}&format=ndjson`, '/download');
    expect(
      file.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).to.deep.equal(rows);
    expect(file.asOf).to.equal(asOf);
    const response = await fetch(`${services.queryUrl}/api/v1/coffee?${window}&as_of=${asOf}&limit=1&sort=desc`, {
      headers,
    });
    const page = (await response.json()) as { data: { rows: { DETAILID: number }[]; total: number } };
    expect(page.data.total).to.equal(total);
    expect(page.data.rows[0]!.DETAILID).to.equal(rows.at(-1)!.DETAILID);
  });

  it('does not begin after the time up to which the report is complete', async () => {
    const { status, text } = await read('coffee', '&as_of=2100-01-01T00:00:00Z');
    expect(status).to.equal(400);
    expect(text).to.include('as_of').and.include('must not be after');
  });

  it('is answered by the former generation after a replay, and is gone when that is dropped', async () => {
    for (const dataset of datasets) await replay(dataset);
    await expectSeen();
    const projection = allProjections.find(({ name }) => name === 'coffee')!;
    await dropGenerationTables(services.writer, { projection, generation: 1 });
    const { asOf } = seen[0]!;
    const { status, text } = await read('coffee', `&as_of=${asOf}`);
    expect(status).to.equal(410);
    expect(JSON.parse(text)).to.have.nested.property('error.code', 'HISTORY_GONE');
  });

  it('is gone after HISTORY_DAYS', async () => {
    const { status, text } = await read('watcher-summary', '&as_of=2026-01-01T00:00:00Z');
    expect(status).to.equal(410);
    expect(text).to.include('must not be before');
  });
});

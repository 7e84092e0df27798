import { allProjections } from '@popsvc/projectors/projections';
import { dropGenerationTables } from '@popsvc/read-models/generations';
import { progressTable } from '@popsvc/read-models/tables';
import { expect } from 'chai';
import fc from 'fast-check';
import { chooseRounds, chooseSeed } from '../support/rounds.ts';
import {
  type ChangingReport,
  type DatasetName,
  datasets,
  rowSteps,
  startChangingReport,
} from './changing-report.fixture.ts';

const rounds = chooseRounds(20, 300);
const seed = chooseSeed(20_261_129);

/** Reads a report while it changes, and each time of it again at the end. */
describe(`a report of an earlier time (${rounds} steps, seed ${seed})`, function () {
  this.timeout(300_000 + rounds * 10_000);
  const steps = fc.sample(fc.oneof(...Object.values(rowSteps)), { seed, numRuns: rounds });
  const seen: { readonly dataset: DatasetName; readonly asOf: string; readonly text: string }[] = [];
  let report: ChangingReport;

  const read = (dataset: DatasetName, query = '', path = '') =>
    report.get(dataset, path, `${report.window}&limit=1000${query}`);
  /** Reads the report once its header is not older than its rows: query-api reads the progress four times a second. */
  const readCurrent = async (dataset: DatasetName) => {
    const [row] = await report.services.writer.rows<{ ms: string }>(
      `SELECT toString(toUnixTimestamp64Milli(max(as_of))) AS ms FROM ${progressTable(dataset)}`,
    );
    for (;;) {
      const found = await read(dataset);
      if (Date.parse(found.asOf) >= Number(row!.ms)) return found;
    }
  };
  const expectSeen = async () => {
    for (const { dataset, asOf, text } of seen) {
      const again = await read(dataset, `&as_of=${asOf}`);
      expect(again.text, `${dataset} of ${asOf}`).to.equal(text);
      expect(again.asOf).to.equal(asOf);
    }
  };

  before(async () => {
    report = await startChangingReport();
    for (const [index, step] of steps.entries()) {
      await report.take(step, index % 3 === 2);
      for (const dataset of datasets) seen.push({ dataset, ...(await readCurrent(dataset)) });
    }
  });
  after(() => report.close());

  it('is the report that was read then', async () => {
    expect(new Set(seen.map(({ text }) => text)).size).to.be.greaterThan(rounds / 2);
    await expectSeen();
  });

  it('has its rows in files, and on pages', async () => {
    const { asOf, text } = seen.find(
      ({ dataset, text: each }) => dataset === 'coffee' && each.includes('"WATCHERID":1'),
    )!;
    const { rows, total } = (JSON.parse(text) as { data: { rows: { DETAILID: number }[]; total: number } }).data;
    const file = await read('coffee', `&as_of=${asOf}&format=ndjson`, '/download');
    const lines = file.text.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).to.deep.equal(rows);
    expect(file.asOf).to.equal(asOf);
    const page = await report.get('coffee', '', `${report.window}&as_of=${asOf}&limit=1&sort=desc`);
    const { data } = JSON.parse(page.text) as { data: { rows: { DETAILID: number }[]; total: number } };
    expect([data.total, data.rows[0]!.DETAILID]).to.deep.equal([total, rows.at(-1)!.DETAILID]);
  });

  it('does not begin after the time up to which the report is complete', async () => {
    const { status, text } = await read('coffee', '&as_of=2100-01-01T00:00:00Z');
    expect(status).to.equal(400);
    expect(JSON.parse(text))
      .to.have.property('message')
      .that.matches(/^as_of must not be after \d{4}-.*Z, up to which/);
  });

  it('is answered by the former generation after a replay, and is gone when that is dropped', async () => {
    for (const dataset of datasets) await report.replay(dataset);
    await expectSeen();
    const projection = allProjections.find(({ name }) => name === 'coffee')!;
    await dropGenerationTables(report.services.writer, { projection, generation: 1 });
    const { status, text } = await read('coffee', `&as_of=${seen[0]!.asOf}`);
    expect(status).to.equal(410);
    expect(JSON.parse(text)).to.have.nested.property('error.code', 'HISTORY_GONE');
  });

  it('is gone after HISTORY_DAYS', async () => {
    const { status, text } = await read('watcher-summary', '&as_of=2026-01-01T00:00:00Z');
    expect(status).to.equal(410);
    expect(text).to.include('must not be before');
  });
});

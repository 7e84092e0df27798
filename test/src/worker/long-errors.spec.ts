import type { BulkRowsIngested } from '@popsvc/contracts/events';
import { expect } from 'chai';
import { flatMapping, flatRow, ndjsonOf, workshop, type Workshop } from './worker.fixture.ts';

const path = '再生開始日時・現地時刻と協定世界時との差を含む秒単位の時刻'.repeat(8);
const [bad, good] = [4_000, 10];

/** The event store accepts 1 MiB per append; a reason of 200 characters takes up to 800 bytes. */
describe('a bulk job whose bad rows have long reasons', () => {
  let shop: Workshop;
  before(async () => {
    shop = await workshop();
  });
  after(() => shop.close());

  it('ends, and its stream names every bad row', async () => {
    await shop.registerMapping({
      ...flatMapping,
      fields: { ...flatMapping.fields, playedAt: { path, time: 'iso' } },
    });
    const rows = Array.from({ length: bad + good }, (_, at) =>
      flatRow(at, { [path]: at < bad ? 'いつか' : '2026-08-20T10:00:00Z' }),
    );
    const jobId = await shop.queue('ndjson', ndjsonOf(rows));
    expect(await shop.work(jobId)).to.equal('ended');
    const { status, processedRows, errorRows } = await shop.job(jobId);
    expect([status, processedRows, errorRows]).to.deep.equal(['partially_completed', good, bad]);
    const badRows = (await shop.events(`bulkJob-${jobId}`))
      .filter(({ type }) => type === 'BulkRowsIngested')
      .flatMap(({ data }) => (data as BulkRowsIngested).errors.map(({ row }) => row));
    expect(badRows).to.deep.equal(Array.from({ length: bad }, (_, at) => at + 1));
  });
});

import { type EventStore, EventStoreRejected } from '@popsvc/platform/event-store';
import { expect } from 'chai';
import { flatRow, ndjsonOf, workshop, type Workshop } from './worker.fixture.ts';

describe('a bulk job whose rows the event store rejects', () => {
  let shop: Workshop;
  before(async () => {
    shop = await workshop();
  });
  after(() => shop.close());

  it('is partially completed at once, with the reason and the rows stored so far', async () => {
    const jobId = await shop.queue('ndjson', ndjsonOf(Array.from({ length: 4_000 }, (_, at) => flatRow(at + 1))));
    let nth = 0;
    const store: EventStore = {
      ...shop.store,
      append: (stream, events, options) =>
        stream.startsWith('bulk-') && (nth += 1) >= 4
          ? Promise.reject(new EventStoreRejected('too-large', 'takes less'))
          : shop.store.append(stream, events, options),
    };
    expect(await shop.work(jobId, { store })).to.equal('ended');
    const { status, reason, toRow, nextRevision, processedRows, totalRows } = await shop.job(jobId);
    expect(toRow).to.be.greaterThan(1_000).and.lessThan(4_000);
    expect({ status, reason, totalRows }).to.deep.equal({
      status: 'partially_completed',
      reason: `The rows after row ${toRow} cannot be stored: they are too large for one append.`,
      totalRows: toRow,
    });
    expect(processedRows).to.equal(toRow);
    expect(await shop.rows(jobId)).to.have.length(toRow);
    expect(nextRevision).to.equal(3);
  });
});

import { BulkJob } from '@popsvc/contracts/bulk';
import {
  countUnmappedRows,
  foldJob,
  hasEnded,
  IllegalTransitionError,
  type Job,
  toBulkJobResponse,
  type LoggedEvent,
} from '@popsvc/domain/bulk';
import { expect } from 'chai';
import fc from 'fast-check';
import { completed, failed, jobOf, partly, queued, rows, started } from './bulk-events.ts';
import { runs } from './runs.ts';

const at = (seconds: number) => new Date(Date.parse('2026-08-20T14:00:00Z') + seconds * 1_000).toISOString();

describe('a bulk job', () => {
  it('is queued until its first attempt, with the time of queueing as start', () => {
    const answer = toBulkJobResponse(jobOf(queued()));
    expect(answer).to.deep.equal({
      jobId: '0b1f1a3e-3f0c-5a55-9a25-6f8a0f5a2f11',
      status: 'queued',
      processedRows: 0,
      errorRows: 0,
      errors: [],
      startedAt: at(0),
      completedAt: null,
      bytesRead: 0,
      sizeBytes: 900,
    });
    expect(BulkJob.parse(answer)).to.deep.equal(answer);
  });

  it('has the number of its rows in quarantine, and says so once all of its rows wait there', () => {
    const running = jobOf(queued(), started(1), rows(1, 4));
    const inQuarantine = (all: number, tooOld = 0) => ({ all, tooOld });
    expect(toBulkJobResponse(running, inQuarantine(4)))
      .to.include({ quarantinedRows: 4 })
      .and.not.have.property('message');
    const ended = jobOf(queued(), started(1), completed(1, 4));
    expect(toBulkJobResponse(ended)).to.not.have.any.keys('quarantinedRows', 'message');
    expect(toBulkJobResponse(ended, inQuarantine(3)))
      .to.include({ quarantinedRows: 3 })
      .and.not.have.property('message');
    const waiting = toBulkJobResponse(ended, inQuarantine(4));
    expect(waiting).to.include({ status: 'completed', quarantinedRows: 4 });
    expect(waiting.message).to.match(/^All rows are in quarantine.* They become plays as soon as a mapping fits/);
    expect(BulkJob.parse(waiting)).to.deep.equal(waiting);
    const noneGood = { totalRows: 2, processedRows: 0, errorRows: 2, reason: 'No row of the file is good.' };
    expect(toBulkJobResponse(jobOf(queued(), started(1), failed(1, noneGood)), inQuarantine(2)).message).to.match(
      /^No row of the file is good. All rows are in quarantine/,
    );
    const someTooOld = toBulkJobResponse(ended, inQuarantine(4, 1)).message;
    expect(someTooOld).to.match(
      / 1 of 4 exceeded the age limit .* can convert them. The others become plays as soon as/,
    );
    const allTooOld = toBulkJobResponse(ended, inQuarantine(4, 4)).message;
    expect(allTooOld)
      .to.match(/ 4 of 4 exceeded .* can convert them\. GET/)
      .and.not.include('as soon as');
  });

  it('counts the rows that were accepted without a mapping', () => {
    expect(countUnmappedRows(jobOf(queued()))).to.equal(0);
    expect(countUnmappedRows(jobOf(queued(), started(1, 1, { mappingVersion: 2 }), completed(1, 4)))).to.equal(0);
    const withoutMapping = started(1, 1, { mappingVersion: null });
    expect(countUnmappedRows(jobOf(queued(), withoutMapping, partly(1, 4, 1)))).to.equal(3);
  });

  it('is processing from its first attempt on, with its progress', () => {
    const job = jobOf(queued(), started(1, 5), rows(1, 20), rows(1, 40, [33]), started(2, 30), rows(2, 50, [], 1));
    expect(toBulkJobResponse(job)).to.deep.include({
      status: 'processing',
      processedRows: 49,
      errorRows: 1,
      errors: [{ row: 33, error: 'row 33 is bad' }],
      startedAt: at(5),
      completedAt: null,
      bytesRead: 500,
    });
    expect(toBulkJobResponse(job)).to.not.have.property('totalRows');
    expect(job).to.include({ attempt: 2, toRow: 50, nextRevision: 49 });
    expect(hasEnded(job)).to.equal(false);
  });

  it('has a delimiter if its file is CSV: a comma if an earlier release queued it', () => {
    const delimiterOfJob = (over: object) => toBulkJobResponse(jobOf(queued(over))).delimiter;
    expect(delimiterOfJob({ format: 'csv', delimiter: '\t' })).to.equal('\t');
    expect(delimiterOfJob({ format: 'csv' })).to.equal(',');
    expect(delimiterOfJob({ format: 'json' })).to.equal(undefined);
  });

  it('keeps the mapping and the hash of its first attempt', () => {
    const first = started(1, 1, { mappingVersion: null, sha256: 'aa' });
    const job = jobOf(queued(), first, started(2, 2, { mappingVersion: 7, sha256: 'bb' }));
    expect(job).to.include({ mappingVersion: null, sha256: 'aa', attempt: 2 });
  });

  for (const [status, end, counts] of [
    ['completed', completed(1, 40), { totalRows: 40, processedRows: 40, errorRows: 0 }],
    ['partially_completed', partly(1, 40, 3), { totalRows: 40, processedRows: 37, errorRows: 3 }],
    [
      'failed',
      failed(1, { totalRows: 40, processedRows: 0, errorRows: 40, reason: 'No row is good.' }),
      { totalRows: 40, processedRows: 0, errorRows: 40, message: 'No row is good.' },
    ],
  ] as const)
    it(`ends ${status}`, () => {
      const job = jobOf(queued(), started(1), rows(1, 30), end);
      expect(toBulkJobResponse(job)).to.deep.include({ status, ...counts, completedAt: at(60) });
      expect(hasEnded(job)).to.equal(true);
      expect(BulkJob.parse(toBulkJobResponse(job))).to.deep.equal(toBulkJobResponse(job));
      for (const late of [queued(), started(2), rows(1, 40), completed(1, 40), failed(1)])
        expect(() => foldJob(job, late)).to.throw(IllegalTransitionError);
    });

  it('has read the whole file when completed, and a part of it when failed', () => {
    expect(toBulkJobResponse(jobOf(queued(), started(1), completed(1, 4))).bytesRead).to.equal(900);
    expect(toBulkJobResponse(jobOf(queued(), started(1), partly(1, 4, 1))).bytesRead).to.equal(900);
    const cut = toBulkJobResponse(
      jobOf(queued(), started(1), rows(1, 20), failed(1, { totalRows: null, reason: 'It is cut.' })),
    );
    expect(cut).to.include({ bytesRead: 200, message: 'It is cut.' });
    expect(cut).to.not.have.property('totalRows');
  });

  it('is partially completed with the reason if the file was not read to its end after good rows', () => {
    const end = partly(1, 20, 0, { reason: 'It is cut.' });
    expect(toBulkJobResponse(jobOf(queued(), started(1), rows(1, 20), end))).to.include({
      status: 'partially_completed',
      totalRows: 20,
      processedRows: 20,
      errorRows: 0,
      bytesRead: 200,
      message: 'It is cut.',
    });
    for (const illegal of [partly(1, 20, 0), partly(1, 20, 20, { reason: 'It is cut.' })])
      expect(() => jobOf(queued(), started(1), rows(1, 20), illegal)).to.throw(IllegalTransitionError);
  });

  it('never reports more bytes than the file has', () =>
    expect(toBulkJobResponse(jobOf(queued(), started(1), rows(1, 95))).bytesRead).to.equal(900));

  it('lists the first 1,000 bad rows and counts all of them', () => {
    const bad = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);
    const job = jobOf(queued(), started(1), rows(1, 999, bad(1, 999)), rows(1, 2_000, bad(1_000, 1_001), 2_000));
    expect(toBulkJobResponse(job).errorRows).to.equal(2_000);
    expect(toBulkJobResponse(job).errors.map(({ row }) => row)).to.deep.equal(bad(1, 1_000));
  });

  const illegal: readonly (readonly [string, readonly LoggedEvent[]])[] = [
    ['a start of what was never queued', [started(1)]],
    ['rows of what was never queued', [rows(1, 1)]],
    ['queueing twice', [queued(), queued()]],
    ['rows before a start', [queued(), rows(1, 1)]],
    ['an end before a start', [queued(), failed(1)]],
    ['an attempt left out', [queued(), started(2)]],
    ['a repeated attempt', [queued(), started(1), started(1)]],
    ['rows of an attempt that was followed by another', [queued(), started(1), started(2), rows(1, 1)]],
    ['the end of an attempt that was followed by another', [queued(), started(1), started(2), completed(1, 1)]],
    ['rows that go back', [queued(), started(1), rows(1, 20), rows(1, 19)]],
    ['bad rows that become fewer', [queued(), started(1), rows(1, 20, [3]), rows(1, 21)]],
    ['rows that do not add up', [queued(), started(1), rows(1, 20, [], 30)]],
    ['completion with bad rows', [queued(), started(1), completed(1, 5, 1)]],
    ['completion in part without bad rows', [queued(), started(1), partly(1, 5, 0)]],
    ['completion in part without good rows', [queued(), started(1), partly(1, 5, 5)]],
    [
      'a total that is not the sum',
      [queued(), started(1), failed(1, { totalRows: 9, processedRows: 1, errorRows: 1 })],
    ],
  ];
  for (const [what, events] of illegal)
    it(`rejects ${what}`, () => {
      expect(() => jobOf(...events.slice(0, -1), events.at(-1)!)).to.throw(IllegalTransitionError);
      if (events.length > 1) expect(() => jobOf(...events.slice(0, -1))).to.not.throw();
    });

  it('ignores events of a newer release', () => {
    const job = jobOf(queued());
    expect(foldJob(job, { ...queued(), type: 'BulkIngestPaused' })).to.equal(job);
  });

  it('requires a vendor', () => {
    const withoutVendor = { schemaVersion: 1, receivedAt: queued().metadata.receivedAt };
    expect(() => foldJob(undefined, { ...queued(), metadata: withoutVendor })).to.throw(IllegalTransitionError);
    expect(jobOf(queued())).to.include({ network: 1, vendor: 'acme', keyId: 'key-1' });
  });

  it('has the same response for any number of restarts', () => {
    const step = fc.record({ good: fc.nat(5), bad: fc.nat(3), again: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const foldSteps = (restarts: boolean): Job => {
          let [attempt, toRow, errors] = [1, 0, 0];
          const events = [queued(), started(1)];
          for (const { good, bad, again } of steps.filter((one) => one.good + one.bad > 0)) {
            if (again && restarts) events.push(started(++attempt, 9));
            const badRows = Array.from({ length: bad }, (_, index) => toRow + index + 1);
            toRow += good + bad;
            errors += bad;
            events.push(rows(attempt, toRow, badRows, errors));
          }
          const failing = { totalRows: toRow, processedRows: toRow - errors, errorRows: errors, reason: 'x' };
          return jobOf(...events, failed(attempt, failing));
        };
        expect(toBulkJobResponse(foldSteps(true))).to.deep.equal(toBulkJobResponse(foldSteps(false)));
      }),
      runs(100),
    );
  });
});

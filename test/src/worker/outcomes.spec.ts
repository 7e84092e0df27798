import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BulkJob } from '@popsvc/contracts/bulk';
import { DynamicPlaysRecorded } from '@popsvc/contracts/events';
import { toBulkJobResponse, uploadObjectKey } from '@popsvc/domain/bulk';
import { expect } from 'chai';
import { startTestCollector } from '../support/collector.ts';
import { sendingTo } from '../tracing/tracing.fixture.ts';
import { flatMapping, flatRow, ndjsonOf, schemaVersion, workshop, type Workshop } from './worker.fixture.ts';

/** UUIDv5 as in RFC 9562. */
const uuidV5 = (space: string, name: string): string => {
  const sha1 = createHash('sha1')
    .update(Buffer.from(space.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest();
  sha1[6] = (sha1[6]! & 0x0f) | 0x50;
  sha1[8] = (sha1[8]! & 0x3f) | 0x80;
  return sha1.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
};

const plays = (count: number) => Array.from({ length: count }, (_, at) => flatRow(at + 1));

describe('a bulk job', () => {
  let shop: Workshop;
  before(async () => {
    shop = await workshop();
  });
  after(() => shop.close());

  /** Queues a file, runs its job, and returns the result. */
  const done = async (...file: Parameters<Workshop['queue']>) => {
    const jobId = await shop.queue(...file);
    expect(await shop.work(jobId)).to.equal('ended');
    const { status, totalRows, processedRows, errorRows, errors, reason } = await shop.job(jobId);
    return {
      jobId,
      result: [status, totalRows, processedRows, errorRows],
      errors,
      reason,
      rows: await shop.rows(jobId),
    };
  };

  it('is completed when every row is good, with the rows stored as sent, in order', async () => {
    const sent = plays(1_234);
    const { jobId, result, rows } = await done('ndjson', ndjsonOf(sent), { maxAgeDays: 90 });
    expect(result).to.deep.equal(['completed', 1_234, 1_234, 0]);
    expect(rows).to.deep.equal(sent.map((event, at) => [at + 1, event]));
    const events = await shop.events(`bulk-1.${jobId}`);
    expect(events.map(({ id }) => id)).to.deep.equal(['1-1000', '1001-1234'].map((rows) => uuidV5(jobId, rows)));
    const [queued] = await shop.events(`bulkJob-${jobId}`);
    expect(new Set(events.map(({ metadata }) => JSON.stringify(metadata))).size).to.equal(1);
    expect(events[0]!.metadata).to.include({
      receivedAt: queued!.metadata.receivedAt,
      network: 1,
      vendor: 'acme',
      keyId: 'key-1',
      correlationId: jobId,
      causationId: queued!.id,
    });
    expect(DynamicPlaysRecorded.read(events[1]!.data, 1)).to.deep.equal({
      schemaVersion,
      items: sent.slice(1_000),
      maxAgeDays: 90,
      bulk: { jobId, rows: Array.from({ length: 234 }, (_, index) => 1_001 + index) },
    });
  });

  it('has a trace of its own that contains its appends', async () => {
    const to = await startTestCollector();
    const { jobId } = await sendingTo(to, () => done('ndjson', ndjsonOf(plays(3))));
    await to.stop();
    const job = to.spans().find(({ name }) => name === 'bulk job');
    expect(job).to.deep.include({ parentSpanId: '', status: 0 });
    expect(job!.attributes).to.deep.include({ 'popsvc.job_id': jobId, 'popsvc.network': 1, 'popsvc.attempt': 1 });
    const appends = to.spans().filter(({ name }) => name === 'eventstoredb append');
    expect(appends.map(({ attributes }) => attributes['db.collection.name'])).to.include(`bulk-1.${jobId}`);
    expect(new Set(appends.map(({ parentSpanId }) => parentSpanId))).to.deep.equal(new Set([job!.spanId]));
  });

  it('is partially completed when some rows are bad, and names them', async () => {
    const lines = plays(10).map((row) => JSON.stringify(row));
    lines[3] = '{"id":';
    lines[8] = '[]';
    const { result, errors, rows } = await done('ndjson', lines.join('\n'));
    expect(result).to.deep.equal(['partially_completed', 10, 8, 2]);
    expect(errors).to.deep.equal([
      { row: 4, error: 'is not JSON: it ends too early' },
      { row: 9, error: 'is not an object' },
    ]);
    expect(rows.map(([row]) => row)).to.deep.equal([1, 2, 3, 5, 6, 7, 8, 10]);
  });

  it('fails when no row is good', async () => {
    const { result, reason, errors, rows } = await done('ndjson', 'x\n'.repeat(5_000));
    expect(result).to.deep.equal(['failed', 5_000, 0, 5_000]);
    expect(reason).to.equal('No row of the file is good.');
    expect(errors).to.have.length(1_000);
    expect(rows).to.deep.equal([]);
  });

  for (const [what, format, file, counts, why] of [
    ['is empty', 'csv', '', [undefined, 0, 0], 'The file is empty.'],
    ['has no rows', 'csv', 'a,b\n', [0, 0, 0], 'The file has no rows.'],
    ['is an array of nothing', 'json', '[]', [0, 0, 0], 'The file has no rows.'],
    [
      'has other separators',
      'csv',
      'a;b\n1;2\n',
      [undefined, 0, 0],
      'The fields are separated by semicolons, not by commas; metadata.delimiter may be a comma, a semicolon or a tab.',
    ],
    [
      'is of another format',
      'json',
      '{"a":1}\n',
      [undefined, 0, 0],
      'The file is not one JSON array: it does not begin with [ at byte 1.',
    ],
    [
      'is cut in its first row',
      'json',
      '[{"a":1',
      [undefined, 0, 1],
      'The file is truncated: it ends at byte 7, before its array does.',
    ],
  ] as const)
    it(`fails when the file ${what}`, async () => {
      const outcome = await done(format, file);
      expect(outcome.result).to.deep.equal(['failed', ...counts]);
      expect(outcome.reason).to.equal(why);
      expect(outcome.rows).to.have.length(counts[1]);
    });

  for (const [what, file, counts, errors, why] of [
    [
      'is cut in a row',
      '[{"a":1},{"a":2},{"a"',
      [3, 2, 1],
      [{ row: 3, error: 'is cut off: the file ends at byte 21' }],
      'The file is truncated: it ends at byte 21, before its array does.',
    ],
    [
      'is cut between rows',
      '[{"a":1},{"a":2},',
      [2, 2, 0],
      [],
      'The file is truncated: it ends at byte 17, before its array does.',
    ],
    [
      'continues after its array',
      '[{"a":1},{"a":2}]{"a":3}',
      [2, 2, 0],
      [],
      'The file is not one JSON array: it continues after the last ] at byte 18.',
    ],
  ] as const)
    it(`is partially completed, with the reason, when the file ${what} after good rows`, async () => {
      const outcome = await done('json', file);
      expect(outcome.result).to.deep.equal(['partially_completed', ...counts]);
      expect(outcome.errors).to.deep.equal(errors);
      expect(outcome.reason).to.equal(why);
      expect(outcome.rows).to.deep.equal([
        [1, { a: 1 }],
        [2, { a: 2 }],
      ]);
      const response = toBulkJobResponse(await shop.job(outcome.jobId));
      expect(response.message).to.equal(why);
      expect(BulkJob.parse(response)).to.deep.equal(response);
    });

  it('warns of the first ten rows with a quoted field over several lines, and counts all', async () => {
    const rows = Array.from({ length: 12 }, (_, at) => `"${at}\nx",y\n1,2\n`);
    const { jobId, result, rows: stored } = await done('csv', `a,b\n${rows.join('')}`);
    expect(result).to.deep.equal(['completed', 24, 24, 0]);
    expect(stored[2]).to.deep.equal([3, { a: '1\nx', b: 'y' }]);
    const { warnings, warningCount } = toBulkJobResponse(await shop.job(jobId));
    expect(warningCount).to.equal(12);
    expect(warnings!.map(({ row }) => row)).to.deep.equal(Array.from({ length: 10 }, (_, at) => 2 * at + 1));
    expect(warnings![1]).to.deep.equal({
      row: 3,
      code: 'MULTI_LINE_ROW',
      message:
        'A quoted field makes lines 5 to 6 of the file one row. If these lines are several rows, remove the stray quotes.',
    });
  });

  it('reads a CSV file with the delimiter that was recorded when it was queued', async () => {
    const jobId = await shop.queue('csv', 'a;b\n1,5;2\n', { delimiter: ';' });
    await shop.work(jobId);
    expect((await shop.job(jobId)).status).to.equal('completed');
    expect(await shop.rows(jobId)).to.deep.equal([[1, { a: '1,5', b: '2' }]]);
  });

  it('fails without a row when the stored file is damaged', async () => {
    const content = ndjsonOf(plays(3));
    const jobId = await shop.queue('ndjson', content);
    const path = join(shop.dataDir, uploadObjectKey(1, (await shop.job(jobId)).queued.fileId));
    const bytes = readFileSync(path);
    bytes[bytes.length - 5]! ^= 1;
    writeFileSync(path, bytes);
    await shop.work(jobId);
    const [stored, uploaded] = [bytes, content].map((each) => createHash('sha256').update(each).digest('hex'));
    expect(await shop.job(jobId)).to.include({
      status: 'failed',
      reason: `The stored file is damaged or was replaced: its SHA-256 is ${stored}, and that of the uploaded file was ${uploaded}. Upload it again.`,
    });
    expect(await shop.rows(jobId)).to.deep.equal([]);
  });

  it('fails when the file is missing', async () => {
    const jobId = await shop.queue('ndjson', ndjsonOf(plays(3)));
    const objects = {
      ...shop.objects,
      read: (key: string, signal: AbortSignal) => shop.objects.read(`${key}-gone`, signal),
    };
    await shop.work(jobId, { objects });
    expect(await shop.job(jobId)).to.include({ status: 'failed', reason: 'The file is gone.' });
  });

  it('is partially completed with the reason when the file changes while its good rows are read', async () => {
    const jobId = await shop.queue('ndjson', ndjsonOf(plays(3)), { sha256: null });
    const other = await shop.queue('ndjson', ndjsonOf(plays(4)));
    const { queued } = await shop.job(other);
    let reads = 0;
    const objects = {
      ...shop.objects,
      read: (key: string, signal: AbortSignal) =>
        shop.objects.read((reads += 1) === 1 ? key : `uploads/1/${queued.fileId}`, signal),
    };
    await shop.work(jobId, { objects });
    const job = await shop.job(jobId);
    expect(job).to.include({ status: 'partially_completed', reason: 'The file changed while it was read.' });
  });

  it('counts rows too large for an event as bad', async () => {
    const lines = [flatRow(1), { id: 'x', much: 'y'.repeat(262_144) }, { id: 'z', much: 'é'.repeat(130_000) }];
    const { result, errors, rows } = await done('ndjson', ndjsonOf(lines));
    expect(result).to.deep.equal(['partially_completed', 3, 2, 1]);
    expect(errors).to.deep.equal([{ row: 2, error: 'is longer than 262,144 bytes in the log' }]);
    expect(rows.map(([row]) => row)).to.deep.equal([1, 3]);
  });

  it('records its end once and is not run again', async () => {
    const { jobId } = await done('ndjson', ndjsonOf(plays(3)));
    const before = await shop.events(`bulkJob-${jobId}`);
    expect(await shop.work(jobId)).to.equal('ended');
    expect(await shop.events(`bulkJob-${jobId}`)).to.deep.equal(before);
    expect(await shop.work('5f1c6f0e-0000-4000-8000-000000000000')).to.equal('ended');
  });

  it('names the columns of a CSV by its header, by the mapping, or by number', async () => {
    const first = async (csv: string, metadata?: Record<string, unknown>) =>
      (await done('csv', csv, metadata && { metadata })).rows[0]?.[1];
    expect(await first('a,b\n1,2\n')).to.deep.equal({ a: '1', b: '2' });
    expect(await first('1,2\n', { header: false })).to.deep.equal({ c1: '1', c2: '2' });
    await shop.registerMapping({ ...flatMapping, columns: ['x', 'y'] });
    expect(await first('1,2\n')).to.deep.equal({ x: '1', y: '2' });
    expect(await first('1,2\n', { header: false })).to.deep.equal({ x: '1', y: '2' });
    expect(await first('a,b\n1,2\n', { header: true })).to.deep.equal({ a: '1', b: '2' });
  });

  it('counts rows that the mapping cannot turn into a play as bad and stores them', async () => {
    await shop.registerMapping(flatMapping, 2);
    const sent = [...plays(3), flatRow(4, { start: 'yesterday' }), flatRow(5, { screen: undefined }), flatRow(6)];
    const { jobId, result, errors, rows } = await done('ndjson', ndjsonOf(sent));
    expect(result).to.deep.equal(['partially_completed', 6, 4, 2]);
    expect(errors.map(({ row }) => row)).to.deep.equal([4, 5]);
    expect(errors[0]!.error).to.include('start');
    expect(rows).to.have.length(6);
    expect(await shop.job(jobId)).to.include({ mappingVersion: 2 });
  });

  it('uses the mapping before one that only a newer release can read', async () => {
    await shop.registerMapping({ vendor: 'acme', schema_version: 'flat-1', rules: [] }, 3, 99);
    const { jobId, result } = await done('ndjson', ndjsonOf(plays(2)));
    expect(result).to.deep.equal(['completed', 2, 2, 0]);
    expect(await shop.job(jobId)).to.include({ mappingVersion: 2 });
  });

  it('records many bad rows with errors of maximum length', async () => {
    const sent = Array.from({ length: 3_000 }, (_, at) => flatRow(at + 1, { start: '\u0001'.repeat(300) }));
    const { result, errors } = await done('ndjson', ndjsonOf(sent));
    expect(result).to.deep.equal(['failed', 3_000, 0, 3_000]);
    expect(errors).to.have.length(1_000);
    expect(Math.max(...errors.map(({ error }) => error.length))).to.be.at.most(200);
  });
});

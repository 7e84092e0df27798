import { gzipSync } from 'node:zlib';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { flatMapping } from '../worker/worker.fixture.ts';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { expectApiError, type Reply } from './sender.fixture.ts';
import { addressFor, ingest, ingestPath, jobOf, upload } from './upload.fixture.ts';

const jobIdOf = ({ body }: Reply) => (body as unknown as { jobId: string }).jobId;

describe('command-api: ingestion of CSV files', function () {
  let api: TestCommandApi;
  before(async () => {
    api = await commandApi();
  });
  after(() => api.close());

  const uploadCsv = async (content: string | Buffer) => {
    const address = await addressFor(api.send, { format: 'csv', fileName: 'plays.csv' });
    expect((await upload(address.uploadUrl, content, { 'Content-Type': 'text/csv' })).status).to.equal(200);
    return address;
  };
  const ingestCsv = async (content: string | Buffer, metadata?: object, schemaVersion = 'none') =>
    ingest(api.send, (await uploadCsv(content)).fileId, schemaVersion, metadata && { metadata });
  const registerMapping = (mapping: { readonly schema_version: string }) => {
    const metadata = { schemaVersion: 1, receivedAt: new Date().toISOString(), network: 1, vendor: 'acme' };
    const event = {
      id: crypto.randomUUID(),
      type: 'MappingRegistered',
      data: { network: 1, version: 1, mapping },
      metadata,
    };
    return api.store.append('mapping-acme', [event]);
  };

  for (const [what, content, metadata, delimiter] of [
    ['a detected comma', 'a,b\n1,2\n', undefined, ','],
    ['a detected semicolon', 'a;b\n1;2\n', undefined, ';'],
    ['a detected tab', 'a\tb\n1\t2\n', { batch: 7 }, '\t'],
    ['the requested delimiter', 'a;b,c;d\n', { delimiter: ',' }, ','],
    ['a comma, if the file has no header row', '1;2,3\n', { header: false }, ','],
    ['the requested delimiter, if the file has no header row', '1;2\n', { header: false, delimiter: ';' }, ';'],
  ] as const)
    it(`records ${what}, and answers it with the job`, async () => {
      const reply = await ingestCsv(content, metadata);
      expect(reply.status).to.equal(202);
      const jobId = jobIdOf(reply);
      const [queued] = await api.events(`bulkJob-${jobId}`);
      expect(queued?.data).to.deep.include({ delimiter, ...(metadata && { metadata }) });
      expect((await jobOf(api.send, jobId)).body).to.include({ status: 'queued', delimiter });
    });

  it('ignores metadata.delimiter of other formats, and answers no delimiter', async () => {
    const { uploadUrl, fileId } = await addressFor(api.send);
    expect((await upload(uploadUrl)).status).to.equal(200);
    const reply = await ingest(api.send, fileId, 'none', { metadata: { delimiter: 'of lines' } });
    expect(reply.status).to.equal(202);
    expect((await jobOf(api.send, jobIdOf(reply))).body).to.not.have.property('delimiter');
  });

  it('rejects another delimiter', async () => {
    for (const delimiter of ['|', '', 'tab', '\\t', 5, false, [',']])
      expectApiError(await ingestCsv('a,b\n', { delimiter }), 400, 'INVALID_REQUEST', ['metadata.delimiter']);
  });

  it('rejects an unreadable or duplicate header, and ingests the corrected file', async () => {
    for (const [content, problem] of [
      ['a,b,a\n1,2,3\n', 'The header row has the name "a" twice.'],
      ['a,,c\n', 'Column 2 of the header row has no name.'],
      ['a "b",c\n', 'The header row is not CSV.'],
      ['', 'The file is empty.'],
      [gzipSync('a,b\n'), 'The file is compressed with gzip; it must be plain text in UTF-8.'],
    ] as const) {
      const { uploadUrl, fileId } = await uploadCsv(content);
      const reply = await ingest(api.send, fileId);
      expectApiError(reply, 400, 'INVALID_REQUEST', ['fileId']);
      expect(reply.body.message).to.equal(
        `fileId: cannot be ingested. ${problem} Upload the corrected file. If the file has no header row, set metadata.header to false.`,
      );
      const checked = await api.send(ingestPath, { fileId, schemaVersion: 'x' }, { query: '?validate_only=true' });
      expectApiError(checked, 400, 'INVALID_REQUEST', ['fileId']);
      expect((await upload(uploadUrl, 'a,b\n1,2\n', { 'Content-Type': 'text/csv' })).status).to.equal(200);
      expect((await ingest(api.send, fileId)).status).to.equal(202);
    }
  });

  it('checks no header of a file that has none', async () => {
    await registerMapping({
      ...flatMapping,
      schema_version: 'without-header',
      columns: ['id', 'screen'],
    } as typeof flatMapping);
    expect((await ingestCsv('1,1\n2,2\n', { header: false })).status).to.equal(202);
    expect((await ingestCsv('1,1\n2,2\n', undefined, 'without-header')).status).to.equal(202);
    const named = await ingestCsv('id,id\n2,2\n', { header: true }, 'without-header');
    expectApiError(named, 400, 'INVALID_REQUEST', ['fileId']);
  });

  it('warns of mapped columns that the header row does not have, in every response about the file', async () => {
    await registerMapping(flatMapping);
    const { fileId } = await uploadCsv('id;Screen;campaign;start;duration\n');
    const body = { fileId, schemaVersion: flatMapping.schema_version };
    const expected = {
      warnings: [
        {
          path: 'fields.screenId.path',
          code: 'MISSING_COLUMN',
          value: 'screen',
          message:
            'The header row has no column "screen", which the mapping reads for fields.screenId.path. All rows will be quarantined.',
        },
        {
          path: 'fields.creativeId.path',
          code: 'MISSING_COLUMN',
          value: 'asset',
          message:
            'The header row has no column "asset", which the mapping reads for fields.creativeId.path. All rows will be quarantined.',
        },
      ],
      warningCount: 2,
    };
    const checked = await api.send(ingestPath, body, { query: '?validate_only=true' });
    expect(checked.status).to.equal(200);
    const replies = [checked, await api.send(ingestPath, body), await api.send(ingestPath, body)];
    expect(replies.map(({ status }) => status)).to.deep.equal([200, 202, 202]);
    for (const reply of replies) expect(reply.body).to.deep.include(expected);
  });

  it('warns of a first row that it takes for the header row without a mapping, in every response about the file', async () => {
    const row = `play-1;${'x'.repeat(300)}`;
    const { fileId } = await uploadCsv(`${row}\nplay-2;y\n`);
    const body = { fileId, schemaVersion: 'unregistered' };
    const replies = [
      await api.send(ingestPath, body, { query: '?validate_only=true' }),
      await api.send(ingestPath, body),
      await api.send(ingestPath, body),
    ];
    expect(replies.map(({ status }) => status)).to.deep.equal([200, 202, 202]);
    for (const reply of replies) {
      expect(reply.body).to.include({ warningCount: 1 });
      expect(reply.body)
        .to.have.nested.property('warnings[0]')
        .that.includes({ path: 'metadata.header', code: 'ASSUMED_HEADER', value: row.slice(0, 200) });
    }
  });

  it('warns of nothing when the header row has all columns, or the metadata say whether there is one', async () => {
    const all = 'duration,start,asset,campaign,screen,id,other\n';
    for (const [content, metadata, schemaVersion] of [
      [all, undefined, flatMapping.schema_version],
      ['a,b\n', { header: false }, flatMapping.schema_version],
      ['a,b\n', { header: true }, 'none'],
    ] as const) {
      const reply = await ingestCsv(content, metadata, schemaVersion);
      expect(reply.status).to.equal(202);
      expect(Object.keys(reply.body).sort()).to.deep.equal(['jobId', 'message']);
    }
  });

  it('rejects a file that is no longer stored', async () => {
    const { fileId } = await uploadCsv('a,b\n');
    await rm(join(api.uploadsDir, 'uploads/1', fileId), { recursive: true });
    const reply = await ingest(api.send, fileId);
    expectApiError(reply, 400, 'INVALID_REQUEST', ['fileId']);
    expect(reply.body.message).to.equal('fileId: is no longer stored; upload the file again');
  });

  it('claims the file that it inspected, while other files replace it', async () => {
    for (let round = 0; round < 10; round++) {
      const { uploadUrl, fileId } = await uploadCsv('a;b\n1;2\n');
      const [again, reply] = await Promise.all([
        upload(uploadUrl, 'a\tb\n1\t2\n', { 'Content-Type': 'text/csv' }),
        ingest(api.send, fileId),
      ]);
      expect(reply.status).to.equal(202);
      const [queued] = await api.events(`bulkJob-${jobIdOf(reply)}`);
      expect((queued?.data as { delimiter: string }).delimiter).to.equal(again.status === 200 ? '\t' : ';');
    }
  });
});

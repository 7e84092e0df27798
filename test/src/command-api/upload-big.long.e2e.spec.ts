import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { temporaryFolder } from '@popsvc/tools/rig';
import { type CommandApiProcess, startCommandApi } from './command-api-process.fixture.ts';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { sender } from './sender.fixture.ts';
import { addressFor, filesIn, ndjson, upload } from './upload.fixture.ts';

const long = process.env['POPSVC_LONG'] === '1';
const fileBytes = (long ? 1_024 : 192) * 1_048_576;
const rounds = long ? 50 : 3;

const rssMib = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) / 1_024;

describe('command-api: large uploads', function () {
  this.timeout(long ? 1_800_000 : 180_000);
  let api: TestCommandApi;
  let apiKey: string;
  let dir: string;
  let service: CommandApiProcess | undefined;
  const start = async () => {
    service = await startCommandApi(api.node.url, api.databaseUrl, { DATA_DIR: dir });
    return { ...service, send: sender(service.baseUrl, apiKey), pid: service.part.pid()! };
  };
  before(async () => {
    api = await commandApi();
    ({ apiKey } = await api.newKey());
    dir = await temporaryFolder('uploads');
  });
  afterEach(() => service?.stop());
  after(() => api.close());

  it(`receives two files of ${fileBytes / 1_048_576} MiB at a time in bounded memory`, async () => {
    const { send, pid } = await start();
    // The first upload loads code; its memory does not count.
    await upload((await addressFor(send)).uploadUrl);
    const before = rssMib(pid);
    let most = before;
    const watch = setInterval(() => (most = Math.max(most, rssMib(pid))), 50);
    const piece = randomBytes(1_048_576);
    const began = performance.now();
    const put = async () => {
      const hash = createHash('sha256');
      const { uploadUrl } = await addressFor(send);
      const pieces = (function* () {
        for (let sent = 0; sent < fileBytes; sent += piece.length) {
          hash.update(piece);
          yield piece;
        }
      })();
      const body = Readable.toWeb(Readable.from(pieces)) as ReadableStream;
      const response = await fetch(uploadUrl, {
        method: 'PUT',
        headers: { 'Content-Type': ndjson },
        body,
        duplex: 'half',
      });
      expect(response.status).to.equal(200);
      const received = (await response.json()) as { sizeBytes: number; sha256: string };
      expect(received).to.deep.include({ sizeBytes: fileBytes, sha256: hash.digest('hex') });
    };
    await Promise.all([put(), put()]);
    clearInterval(watch);
    const seconds = (performance.now() - began) / 1_000;
    if (process.env['TEST_LOG'] === '1')
      process.stdout.write(
        `rss ${before.toFixed(0)} → ${most.toFixed(0)} MiB, ${((2 * fileBytes) / 1e6 / seconds).toFixed(0)} MB/s\n`,
      );
    expect(most - before).to.be.lessThan(150);
  });

  it('leaves no file behind when the service is killed during an upload', async () => {
    for (let round = 0; round < rounds; round++) {
      const { send, pid, part } = await start();
      const { uploadUrl, fileId } = await addressFor(send);
      const sending = request(uploadUrl, { method: 'PUT', headers: { 'Content-Type': ndjson } });
      sending.on('error', () => undefined);
      const feed = setInterval(() => sending.write(Buffer.alloc(1_048_576, 'x')), 5);
      await sleep(30 + ((37 * round) % 200));
      process.kill(pid, 'SIGKILL');
      await part.ended;
      clearInterval(feed);
      sending.destroy();
      const again = await start();
      expect(filesIn(dir).filter((path) => path.startsWith('.incoming') || path.includes(fileId))).to.deep.equal([]);
      expect((await api.events(`upload-${fileId}`)).map(({ type }) => type)).to.deep.equal(['UploadRequested']);
      const { port } = new URL(again.baseUrl);
      const url = Object.assign(new URL(uploadUrl), { port }).href;
      expect((await upload(url, 'whole')).body.sizeBytes).to.equal(5);
      await again.stop();
    }
  });
});

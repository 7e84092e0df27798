import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Detection } from '@popsvc/client';
import { intakeStream } from '@popsvc/contracts/events';
import { RegistryFile } from '@popsvc/contracts/registry';
import { type ImportCounts, type NumberedRow, pushRows, readDetections, resolveSender } from '@popsvc/cli/import';
import { createVendorPushes } from '@popsvc/cli/service-client';
import { expect } from 'chai';
import { commandApi, type TestCommandApi } from '../command-api/command-api.fixture.ts';
import { registerPlaces } from '../command-api/registry.fixture.ts';
import { smallRegistry } from '../support/small-registry.ts';
import { operatorToken, startTestOps, type TestOps } from '../ops-api/ops.fixture.ts';
import { createPopsvcCommand, popsvcBin } from '@popsvc/tools/rig';
import { popsvcInProcess, runJson, popsvcFor, writeTemporaryFile } from './popsvc.fixture.ts';

const detection = (index: number, deviceId: number) => ({
  detectionId: `d-${index}`,
  deviceId,
  watcherId: index,
  startedAt: '2026-09-14T06:05:00.000Z',
  endedAt: '2026-09-14T06:05:20.000Z',
  watches: [],
});

describe('popsvc import: pushRows', () => {
  const receivedMs = Date.now();
  let system: TestCommandApi;
  before(async () => {
    // The events of the service have one day, even if midnight passes during the test.
    system = await commandApi({ clock: { now: () => receivedMs } });
    await registerPlaces(system.store);
  });
  after(() => system.close());

  it('counts rows that the service rejects as bad and pushes the rest', async () => {
    const lines = Array.from({ length: 1_203 }, (_, index) =>
      JSON.stringify(detection(index, index % 400 === 7 ? 999 : 11)),
    );
    lines.splice(600, 1, '{"detectionId":', '');
    const file = await writeTemporaryFile('detections.ndjson', lines.join('\n'));
    const { apiKey } = await system.newKey(1, 'acme');
    const { detections: push } = createVendorPushes({ ingestUrl: system.baseUrl, apiKey });
    const counts = await pushRows(readDetections(file), push);
    expect(counts).to.deep.include({ rows: 1_203, good: 1_199, distinct: 1_199, bad: 4, accepted: 1_199 });
    const foreignDevice = 'deviceId device 999 is not one of this network';
    const [first, second, unreadable, third] = counts.bad_rows;
    expect([first, second, third]).to.deep.equal([8, 408, 808].map((row) => ({ row, reason: foreignDevice })));
    expect(unreadable?.row).to.equal(601);
    expect(unreadable?.reason).to.match(/^is not JSON/);
    const stored = await system.items(intakeStream('detection', 1, 'acme', receivedMs));
    const ids = stored.map(({ data }) => (data as { detectionId: string }).detectionId);
    expect(new Set(ids).size).to.equal(1_199);
  });

  it('needs no operations server if the vendor has a key', async () => {
    const file = await writeTemporaryFile('own.ndjson', JSON.stringify(detection(9_000, 12)));
    const { apiKey } = await system.newKey(1, 'acme');
    const vendor = createPopsvcCommand({ POPSVC_INGEST_URL: system.baseUrl, POPSVC_API_KEY: apiKey });
    const { code, stdout, stderr } = await vendor('import', 'detections', file, '--json');
    expect(code, stderr).to.equal(0);
    expect(JSON.parse(stdout)).to.deep.equal({
      detections: { rows: 1, good: 1, distinct: 1, bad: 0, bad_rows: [], accepted: 1 },
    });
  });

  it('reports bad rows with their numbers, and fails if a file is cut, is not what its name says, or has no good row', async () => {
    const { apiKey } = await system.newKey(1, 'acme');
    const vendor = popsvcInProcess({ POPSVC_INGEST_URL: system.baseUrl });
    const importFile = async (name: string, content: string | Buffer) => {
      const file = await writeTemporaryFile(name, content);
      process.env['POPSVC_API_KEY'] = apiKey;
      try {
        const { code, stdout, stderr } = await vendor('import', 'detections', file, '--json');
        const { detections } = (stdout === '' ? {} : JSON.parse(stdout)) as { detections?: ImportCounts };
        return { code, detections, error: stderr.replace(file, name) };
      } finally {
        delete process.env['POPSVC_API_KEY'];
      }
    };
    const line = (id: string) => JSON.stringify({ ...detection(1, 11), detectionId: id });
    const [good, latin, half] = [
      line('ok'),
      Buffer.from(line('Köln'), 'latin1'),
      line('half').replace('half', '\\ud83d'),
    ];

    const rows = await importFile(
      'rows.ndjson',
      Buffer.concat([Buffer.from(`\uFEFF${good}\n`), latin, Buffer.from(`\n${half}\n`)]),
    );
    expect(rows.detections).to.deep.include({ rows: 3, good: 1, bad: 2, accepted: 1 });
    expect(rows.detections!.bad_rows).to.deep.equal([
      { row: 2, reason: 'is not UTF-8; save the file as UTF-8' },
      { row: 3, reason: 'contains a lone surrogate' },
    ]);
    expect([rows.code, rows.error]).to.deep.equal([0, '']);

    const many = Array.from({ length: 5_000 }, (_, index) => line(`${index}-${randomUUID()}`)).join('\n');
    const whole = gzipSync(many);
    const cut = await importFile('cut.ndjson.gz', whole.subarray(0, whole.length / 2));
    expect(cut.code).to.equal(1);
    expect(cut.detections!.accepted).to.be.within(1, 4_999).and.equal(cut.detections!.rows);
    expect(cut.error).to.equal(
      `popsvc: cut.ndjson.gz cannot be read after row ${cut.detections!.rows}: it ends before the compressed data is complete\n`,
    );
    const plain = await importFile('plain.ndjson.gz', good);
    expect([plain.code, plain.detections!.accepted, plain.error]).to.deep.equal([
      1,
      0,
      'popsvc: plain.ndjson.gz cannot be read: it is not compressed with gzip, as the end of its name says; rename the file\n',
    ]);
    const none = await importFile('none.ndjson', half);
    expect([none.code, none.detections!.bad]).to.deep.equal([1, 1]);
    expect(none.error).to.equal('popsvc: No row of the detections was accepted; the reasons are listed above.\n');
  });

  it('stops at an error that is not about a row', async () => {
    const rows = (async function* () {
      yield await Promise.resolve({ row: 1, id: 'x', item: detection(1, 11) } satisfies NumberedRow<Detection>);
    })();
    const { detections: push } = createVendorPushes({ ingestUrl: system.baseUrl, apiKey: 'acme_sk_nothing' });
    expect(await pushRows(rows, push).catch((error: unknown) => String(error))).to.include('API key');
  });
});

describe('popsvc import: its API key', () => {
  let ops: TestOps;
  before(async () => {
    ops = await startTestOps();
    await ops.request('POST', '/registry', smallRegistry);
  });
  after(() => ops.close());

  /** Starts an import whose requests are answered by `answer`, and resolves when the first of them arrives. */
  const startImport = async (answer: (respond: (status: number) => void) => void) => {
    const service = createServer((_request, response) => {
      service.emit('pushed');
      answer((status) => response.writeHead(status).end('{}'));
    });
    service.listen(0, '127.0.0.1');
    await once(service, 'listening');
    const file = await writeTemporaryFile('detections.ndjson', JSON.stringify(detection(1, 4)));
    const child = spawn(process.execPath, [popsvcBin, 'import', 'detections', file], {
      env: {
        PATH: process.env['PATH'],
        DATA_DIR: '/nowhere',
        POPSVC_OPS_URL: ops.baseUrl,
        POPSVC_OPERATOR_TOKEN: operatorToken,
        POPSVC_INGEST_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
      },
      stdio: 'ignore',
    });
    const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
    await once(service, 'pushed');
    return {
      kill: (signal: NodeJS.Signals) => child.kill(signal),
      async ended() {
        const [code, signal] = await ended;
        service.closeAllConnections();
        service.close();
        return { code, signal };
      },
    };
  };
  const newestKey = async () => {
    const keys = await runJson<{ name: string; created_at: string; expires_at: string; revoked_at: string | null }[]>(
      popsvcFor(ops),
      'api-keys',
      'list',
    );
    return keys.filter(({ name }) => name === 'import').toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1))[0]!;
  };

  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    it(`is revoked after ${signal}, which still ends the process`, async () => {
      const started = await startImport(() => undefined);
      const key = await newestKey();
      expect(key.revoked_at).to.equal(null);
      expect(Date.parse(key.expires_at) - Date.parse(key.created_at)).to.be.within(3_500_000, 3_600_000);
      started.kill(signal);
      expect(await started.ended()).to.deep.equal({ code: null, signal });
      expect((await newestKey()).revoked_at).to.be.a('string');
    });

  it('is revoked after an error', async () => {
    const started = await startImport((respond) => respond(403));
    expect(await started.ended()).to.deep.equal({ code: 1, signal: null });
    expect((await newestKey()).revoked_at).to.be.a('string');
  });
});

describe('popsvc import: resolveSender', () => {
  const registry = RegistryFile.parse({
    ...smallRegistry,
    networks: [...smallRegistry.networks, { id: 90, name: 'Other', timezone: 'UTC' }],
    vendors: [
      ...smallRegistry.vendors,
      { code: 'b1', name: 'B1', network: 90 },
      { code: 'b2', name: 'B2', network: 90 },
    ],
    sites: [...smallRegistry.sites, { id: 91, name: 'S', network: 90, timezone: 'UTC' }],
    locations: [...smallRegistry.locations, { id: 92, name: 'L', site: 91 }],
    devices: [...smallRegistry.devices, { id: 93, name: 'D', location: 92, screen_ids: ['screen-9'] }],
  });
  const senderOf = (screens: readonly string[], requested: object = {}) => {
    try {
      return resolveSender(registry, { screens: new Set(screens) }, requested);
    } catch (error) {
      return String(error);
    }
  };

  it('resolves the sender by screens, devices or options, and rejects ambiguous files', () => {
    expect(senderOf(['screen-1', 'unknown'])).to.deep.equal({ network: 1, vendor: 'acme' });
    expect(resolveSender(registry, { devices: new Set([4]) }, {})).to.deep.equal({ network: 1, vendor: 'acme' });
    expect(senderOf(['screen-9'])).to.include('Network 90 has 2 vendors');
    expect(senderOf(['screen-9'], { vendor: 'b2' })).to.deep.equal({ network: 90, vendor: 'b2' });
    expect(senderOf(['unknown'])).to.include('None of the screens');
    expect(senderOf(['unknown'], { network: 1 })).to.deep.equal({ network: 1, vendor: 'acme' });
    expect(senderOf(['screen-1', 'screen-9'])).to.include('more than one network');
  });
});

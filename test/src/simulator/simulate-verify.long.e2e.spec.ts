import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { createPopsvcCommand, type Service, startService, waitUntil } from '@popsvc/tools/rig';
import { queryClickHouse } from '../support/engines.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const size = isLong ? ['2', '50', '2'] : ['2', '2', '1'];
const [networks, devices, days] = size as [string, string, string];

const simulatorPath = fileURLToPath(new URL('../../../tools/dist/simulator/main.js', import.meta.url));

interface SimulationResult {
  readonly sent: readonly Readonly<Record<string, number>>[];
  readonly verified: readonly Readonly<Record<string, unknown>>[];
}

describe(`A simulation of ${networks} networks, ${devices} devices, ${days} days`, function () {
  this.timeout(isLong ? 1_800_000 : 180_000);
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  const simulate = async (args: string): Promise<SimulationResult> => {
    const env = { ...process.env, DATA_DIR: service.dataDir };
    const { stdout } = await promisify(execFile)(process.execPath, [simulatorPath, ...args.split(' '), '--json'], {
      env,
    });
    return JSON.parse(stdout) as SimulationResult;
  };
  // Daylight saving time begins in Europe on 29 March 2026.
  const verified = `--networks ${networks} --devices ${devices} --days ${days} --until 2026-03-30 --seed 7 --verify`;

  it('appears in the reports play by play with nested flags, also when it is sent again', async () => {
    const first = await simulate(verified);
    expect(first.sent.map((counts) => counts['network_id'])).to.deep.equal([100, 101]);
    for (const [index, report] of first.verified.entries()) {
      const { plays, duplicates } = first.sent[index]!;
      expect(duplicates).to.be.greaterThan(0);
      expect(report).to.include({ found: plays, missing: 0, unexpected: 0, repeated: 0, bad_flags: 0, ok: true });
      expect(report['seen_rows']).to.be.greaterThan(0);
    }
    if (!isLong) expect((await simulate(verified)).verified).to.deep.equal(first.verified);
  });

  it('ends when the reports contain all events, also of networks whose rows are put off', async () => {
    // Batches of this many plays and detections of one network exceed the bound of a batch.
    const [sent] = (await simulate('--networks 1 --devices 6 --days 2 --until 2026-08-22 --seed 5')).sent;
    const { clickhouseAnalyst: password } = JSON.parse(
      await readFile(join(service.dataDir, 'secrets.json'), 'utf8'),
    ) as {
      readonly clickhouseAnalyst: string;
    };
    const url = `${service.endpoints.analysts}/?database=analysts_popsvc`;
    const sql = "SELECT count() FROM plays WHERE network_id = 100 AND played_at >= '2026-08-20 00:00:00'";
    const { text } = await queryClickHouse(url, { username: 'analyst', password }, sql);
    expect(Number(text)).to.equal(sent!['plays']);
  });

  it('does not begin if a network of another name has one of its ids', async () => {
    const popsvc = createPopsvcCommand({ DATA_DIR: service.dataDir });
    const file = join(service.dataDir, 'real-network.json');
    await writeFile(file, JSON.stringify({ networks: [{ id: 102, name: 'Real media', timezone: 'Europe/Berlin' }] }));
    expect(await popsvc('registry', 'apply', file)).to.include({ code: 0 });
    const refused: unknown = await simulate('--networks 3').catch((error: unknown) => error);
    expect(refused).to.include({ code: 1 });
    expect(refused).to.have.property('stderr').that.includes('network 102 is "Real media"');
    const { stdout } = await popsvc('registry', 'export');
    expect(stdout).to.include('Real media');
  });

  it('of the last hours shows unknown references and quarantined rows to the operator', async () => {
    // In each eight hours the site of the devices is open.
    const [sent] = (await simulate('--live --minutes 0 --hours 8 --devices 3 --seed 3')).sent;
    expect(sent!['plays']).to.be.greaterThan(100);
    const popsvc = createPopsvcCommand({ DATA_DIR: service.dataDir });
    const read = async (...command: readonly string[]) => (await popsvc(...command)).stdout;
    for (const [command, expected] of [
      [['events', 'unknown-references'], /X\b/],
      [['events', 'quarantine'], /sim100a/],
    ] as const)
      await waitUntil(
        () => read(...command),
        (text) => expected.test(text),
        60_000,
        1_000,
      );
  });
});

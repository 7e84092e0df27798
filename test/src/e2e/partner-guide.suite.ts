import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '@popsvc/client';
import { expect } from 'chai';
import { root } from '../architecture/tree.fixture.ts';
import { describeIfInstalled, isInstalled } from '../support/run-conditions.ts';
import { waitUntil, temporaryFolder, type Service } from '@popsvc/tools/rig';
import { blocksOf, programsOf } from './guide-blocks.fixture.ts';

const page = 'docs/guides/partners.md';
const commands = blocksOf(page, 'sh');
const required = ['curl', 'python3'];
const missing = required.filter((program) => !isInstalled(program));

const start = Date.parse('2026-08-20T14:03:07.250Z');
const at = (ms: number) => new Date(start + ms).toISOString();
const plays = Array.from({ length: 12 }, (_, index) => ({
  eventId: `partner-${index}`,
  screenId: `demo-screen-${1 + (index % 2)}`,
  campaignId: 'DEMO-1',
  creativeId: 'DEMO-CR-1',
  playedAt: at(index * 10_000),
  durationMs: 10_000,
}));
const detection = {
  detectionId: 'guide-d1',
  deviceId: 31,
  feederId: 41,
  watcherId: 7,
  startedAt: at(0),
  endedAt: at(9_000),
  watches: [{ startedAt: at(1_000), endedAt: at(5_000) }],
};

/** Sends events like a vendor and waits until the reports contain them. */
const sendEvents = async ({ credentials }: Service) => {
  const { query_base_url: baseUrl, ingest_base_url: ingestUrl, api_key: apiKey } = credentials;
  const client = createClient({ baseUrl, ingestUrl, apiKey });
  await client.recordPlays(plays);
  await client.recordDetections([detection]);
  await client.recordHeartbeats([{ deviceId: 31, at: new Date().toISOString() }]);
  const window = { from: '2026-08-20T00:00:00Z', to: '2026-08-21T00:00:00Z' };
  const rows = async () => {
    const [coffee, seen] = [await client.coffeePage(window), await client.watcherSummaryPage(window)];
    return {
      coffee: coffee.total,
      viewers: coffee.rows.filter(({ IS_VIEW: is }) => is === 1).length,
      seen: seen.total,
    };
  };
  await waitUntil(rows, ({ coffee, viewers, seen }) => coffee === 12 && viewers === 1 && seen === 1);
};

interface Response {
  readonly message: string;
  readonly error: { readonly code: string; readonly details: readonly { readonly path: string }[] };
  readonly data: {
    readonly count: number;
    readonly total: number;
    readonly rows: readonly Readonly<Record<string, unknown>>[];
    readonly summary: Readonly<Record<string, number>>;
    readonly name: string;
    readonly secret: string;
  };
}

/** Runs the programs of the guide against the service. Expects that network 1 has no other events of 20 August 2026. */
export const partnerGuideTests = (running: () => Service): void => {
  describeIfInstalled(missing[0] ?? required.join(), missing.length === 0, 'the guide for partners', function () {
    let service: Service;
    let folder: string;
    let answers: readonly string[];

    before(async function () {
      service = running();
      await sendEvents(service);
      const checkout = await temporaryFolder('partner-guide');
      folder = join(checkout, '.data/guide');
      await mkdir(folder, { recursive: true });
      await symlink(join(root, 'node_modules'), join(checkout, 'node_modules'));
      for (const [name, text] of [...programsOf(page, 'js'), ...programsOf(page, 'python')])
        await writeFile(join(folder, name), text);
      const script = commands.map((block) =>
        block.replaceAll('http://localhost:8080', service.credentials.query_base_url),
      );
      await writeFile(join(checkout, 'guide.sh'), ['set -euo pipefail', ...script].join('\necho; echo ----\n'));
      const env = { ...process.env, DATA_DIR: service.dataDir };
      const { stdout } = await promisify(execFile)('bash', ['guide.sh'], { cwd: checkout, env });
      expect((await readdir(checkout)).toSorted()).to.deep.equal(['.data', 'guide.sh', 'node_modules']);
      answers = stdout.split('----\n').map((text) => text.trim());
    });

    const answersTo = (text: string): readonly string[] => {
      const index = commands.findIndex((block) => block.includes(text));
      expect(index, text).to.be.at.least(0);
      return answers[index + 1]!.replaceAll('}{', '}\n{').split('\n');
    };
    const responsesTo = (text: string) => answersTo(text).map((line) => JSON.parse(line) as Response);

    it('runs each of its programs', () => {
      const names = [...programsOf(page, 'js').keys(), ...programsOf(page, 'python').keys()];
      expect(names).to.deep.equal(['coffee.mjs', 'bare.mjs', 'download.mjs', 'coffee.py', 'download.py']);
      for (const name of names) expect(commands.join('\n')).to.match(new RegExp(`(node|python3) ${name}`));
    });

    it('reads the status of devices and the uptime of an app', () => {
      const [devices, device, feeders] = responsesTo('devices/status?');
      expect(devices?.data.rows.map(({ id, status }) => [id, status])).to.deep.equal([
        [31, 'online'],
        [32, 'offline'],
      ]);
      expect(device?.data).to.include({ name: 'Concourse screen', status: 'online' });
      expect(feeders?.data).to.include({ count: 1 });
      expect(responsesTo('/uptime?')[0]?.data.summary).to.include({ running_seconds: 0, stopped_seconds: 1_800 });
    });

    it('reads all pages with curl, the client, fetch and Python', () => {
      expect(responsesTo('limit=2&after')[0]?.data).to.include({ total: 12, count: 2 });
      expect(answersTo('node coffee.mjs')).to.deep.equal(['12 rows, 1 viewers']);
      expect(answersTo('node bare.mjs')).to.deep.equal(['12 rows']);
      expect(answersTo('python3 coffee.py')).to.deep.equal(['12 rows, 1 impressions']);
      expect(responsesTo('sort=desc')[0]?.data.rows.map(({ WATCHERID: id }) => id)).to.deep.equal([7]);
      expect(responsesTo('X-Network-Name')[0]?.data).to.include({ total: 12 });
    });

    it('downloads files', async () => {
      const csv = await readFile(join(folder, 'coffee.csv'), 'utf8');
      expect(csv.trimEnd().split('\r\n')).to.have.length(13);
      expect((await stat(join(folder, 'coffee.parquet'))).size).to.be.greaterThan(1_000);
      const [line = ''] = answersTo('node download.mjs');
      const { size } = await stat(join(folder, 'watchers.ndjson'));
      expect(line).to.match(new RegExp(`^watchers.ndjson: ${size} bytes, as of 20\\d\\d-`));
      expect(answersTo('python3 download.py')[0]).to.match(/^coffee_20260820_20260821\.csv as of 20\d\d-/);
    });

    it('agrees with the README of the client, whose examples work', async () => {
      const { query_base_url: baseUrl, ingest_base_url: ingestUrl, ...others } = service.credentials;
      const file = join(folder, 'plays.ndjson');
      await writeFile(file, '{"any":"thing"}\n'.repeat(3));
      const given = { baseUrl, ingestUrl, apiKey: others.api_key, folder, file, eventId: 'readme-1' };
      const names = { ...given, clientId: others.client_id, clientSecret: others.client_secret };
      const outputs: unknown[] = [];
      for (const [index, text] of blocksOf('client/README.md', 'js').entries()) {
        const name = join(folder, `readme-${index}.mjs`);
        const report = 'const report = (...what) => process.stdout.write(`${JSON.stringify(what)}\\n`);';
        await writeFile(name, `const { ${Object.keys(names).join()} } = ${JSON.stringify(names)};\n${report}\n${text}`);
        const { stdout } = await promisify(execFile)(process.execPath, [name], { cwd: folder });
        outputs.push(...stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as unknown])));
      }
      const [viewer, job, refused, ...more] = outputs as readonly (readonly unknown[])[];
      expect(viewer).to.deep.equal(['Demo campaign', 4]);
      expect(job).to.deep.equal(['completed', 3]);
      expect(refused?.slice(0, 2)).to.deep.equal([400, 'INVALID_PARAM']);
      expect(more).to.deep.equal([]);
      const months = (await readdir(folder)).filter((entry) => /^coffee-2026/.test(entry)).toSorted();
      expect(months).to.deep.equal(['coffee-2026-07-01.csv', 'coffee-2026-08-01.csv', 'coffee-2026-09-01.csv']);
    });

    it('subscribes to notices', () => {
      expect(responsesTo('api/v1/webhooks')[0]?.data.secret).to.match(/^whsec_/);
    });

    it('reads metric definitions and the details of an error', () => {
      expect(responsesTo('metric-definitions')[0]?.data).to.include({ count: 1 });
      const { error } = responsesTo('limit=5001')[0]!;
      expect(error.code).to.equal('INVALID_PARAM');
      expect(error.details.map(({ path }) => path)).to.have.members(['to', 'limit']);
    });
  });
};

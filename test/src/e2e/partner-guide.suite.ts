import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '@popsvc/client';
import { WebhookPayload } from '@popsvc/contracts/webhooks';
import { choosePort } from '@popsvc/embedded/supervisor';
import { expect } from 'chai';
import { read, root } from '../architecture/tree.fixture.ts';
import { describeIfInstalled, isInstalled } from '../support/run-conditions.ts';
import { createTestPartner, waitUntil, temporaryFolder, type Service } from '@popsvc/tools/rig';
import { blocksOf, programsOf } from './guide-blocks.fixture.ts';

const page = 'docs/guides/partners.md';
const commands = blocksOf(page, 'sh');
const required = ['curl', 'python3'];
const missing = required.filter((program) => !isInstalled(program));

const day = { from: '2026-08-21T00:00:00Z', to: '2026-08-22T00:00:00Z' };

/** A detection during the second play of the guide for vendors, which has no audience yet. */
const laterDetection = {
  detectionId: 'guide-d2',
  deviceId: 31,
  feederId: 41,
  watcherId: 8,
  startedAt: '2026-08-21T14:03:21.000Z',
  endedAt: '2026-08-21T14:03:27.000Z',
  watches: [],
};

/** Waits until the reports contain the events of the guide for vendors. */
const waitForEvents = async ({ credentials }: Service) => {
  const { query_base_url: baseUrl, api_key: apiKey } = credentials;
  const client = createClient({ baseUrl, apiKey });
  const rows = async () => {
    const [coffee, seen] = [await client.coffeePage(day), await client.watcherSummaryPage(day)];
    return { coffee: coffee.total, impressions: countImpressions(coffee.rows), seen: seen.total };
  };
  await waitUntil(rows, ({ coffee, impressions, seen }) => coffee === 5 && impressions === 2 && seen === 1);
};

const countImpressions = (rows: readonly { readonly IS_IMPRESSION: number }[]): number =>
  rows.filter(({ IS_IMPRESSION: is }) => is === 1).length;

interface Response {
  readonly message: string;
  readonly error: { readonly code: string; readonly details: readonly { readonly path: string }[] };
  readonly data: {
    readonly count: number;
    readonly total: number;
    readonly rows: readonly Readonly<Record<string, unknown>>[];
    readonly summary: Readonly<Record<string, number>>;
    readonly name: string;
    readonly last_active_timestamp: string;
    readonly id: string;
    readonly secret: string;
    readonly webhooks: readonly { readonly id: string }[];
    readonly deliveries: readonly { readonly state: string; readonly payload: { readonly type: string } }[];
    readonly payload: object;
  };
}

/** Runs the programs of the guide against the service, to which the guide for vendors has sent its events. */
export const partnerGuideTests = (running: () => Service): void => {
  describeIfInstalled(missing[0] ?? required.join(), missing.length === 0, 'the guide for partners', function () {
    let service: Service;
    let folder: string;
    let answers: readonly string[];

    before(async function () {
      service = running();
      await waitForEvents(service);
      const checkout = await temporaryFolder('partner-guide');
      folder = join(checkout, '.data/guide');
      await mkdir(folder, { recursive: true });
      await symlink(join(root, 'node_modules'), join(checkout, 'node_modules'));
      const port = await choosePort(0, 'HOOK');
      for (const language of ['python', 'sql', 'js'])
        for (const [name, text] of programsOf(page, language))
          await writeFile(join(folder, name), text.replace('.listen(3000)', `.listen(${port})`));
      // In a checkout, npm runs these commands in its folder.
      const python = `cp -r ${join(root, 'client-python')} . && node ${join(root, 'tools/build/generate-python-client.mjs')} client-python`;
      const script = commands.map((block) =>
        block
          .replaceAll('http://localhost:8080', service.credentials.query_base_url)
          .replaceAll('http://127.0.0.1:3000', `http://127.0.0.1:${port}`)
          .replace('npm run demo:events', `node ${join(root, 'tools/dist/demo-events/main.js')}`)
          .replace('npm run generate:python', python),
      );
      await writeFile(join(checkout, 'guide.sh'), ['set -euo pipefail', ...script].join('\necho; echo ----\n'));
      const env = { ...process.env, DATA_DIR: service.dataDir };
      const { stdout } = await promisify(execFile)('bash', ['guide.sh'], { cwd: checkout, env });
      expect((await readdir(checkout)).toSorted()).to.deep.equal([
        '.data',
        'client-python',
        'guide.sh',
        'node_modules',
      ]);
      answers = stdout.split('----\n').map((text) => text.trim());
    });

    const answersTo = (text: string): readonly string[] => {
      const index = commands.findIndex((block) => block.includes(text));
      expect(index, text).to.be.at.least(0);
      return answers[index + 1]!.replaceAll('}{', '}\n{').split('\n');
    };
    /** Runs Python in the folder of the guide, with the client. Resolves with its output. */
    const python = async (...args: readonly string[]): Promise<string> => {
      const { query_base_url, client_id, client_secret } = service.credentials;
      const credentials = { BASE: query_base_url, CLIENT_ID: client_id, CLIENT_SECRET: client_secret };
      const env = {
        ...process.env,
        ...credentials,
        FROM: '2026-08-21',
        TO: '2026-08-22',
        PYTHONPATH: join(folder, '../../client-python/src'),
      };
      return (await promisify(execFile)('python3', [...args], { cwd: folder, env, maxBuffer: 2 ** 26 })).stdout;
    };
    const responsesTo = (text: string) => answersTo(text).map((line) => JSON.parse(line) as Response);

    it('runs each of its programs', () => {
      const names = [...programsOf(page, 'python').keys()];
      expect(names).to.deep.equal(['coffee.py', 'changes.py']);
      for (const name of names) expect(read(page)).to.include(`python3 ${name}`);
      expect([...programsOf(page, 'sql').keys()]).to.deep.equal(['merge.sql']);
      expect([...programsOf(page, 'js').keys()]).to.deep.equal(['receiver.mjs']);
    });

    it('sends the events of the guide for vendors, which reports count once', () => {
      expect(answersTo('npm run demo:events')[0]).to.equal(
        'The reports of 21 August 2026 contain 5 plays and 1 detection.',
      );
    });

    const parseShown = (text: string) => JSON.parse(text.replaceAll(',…', '')) as Readonly<Record<string, unknown>>;
    const shown = blocksOf(page, 'text')
      .flatMap((block) => block.split('\n').filter((line) => line.startsWith('{')))
      .map(parseShown);

    it('shows changes, notices and responses as they are', async () => {
      const notices = shown.filter((each) => 'type' in each);
      expect(notices.map((each) => WebhookPayload.parse(each).type)).to.deep.equal([
        'report_day.final',
        'report_day.restated',
        'outage.opened',
        'vendor.silent',
        'test',
      ]);
      const responses = shown.filter((each) => 'status' in each) as unknown as readonly Response[];
      const [device, uptime, coffee, watchers, deliveries, error, ...others] = responses;
      expect(others).to.deep.equal([]);
      const statuses = responsesTo('devices/status?');
      const found = statuses[2]!;
      expect(uptime).to.deep.equal(statuses[4]);
      expect(responsesTo('sort=desc')[0]!.data.rows[0]).to.include(watchers!.data.rows[0]);
      const { deliveries: listed } = responsesTo('/redeliver"')[1]!.data;
      const [shownDelivery] = deliveries!.data.deliveries;
      expect(Object.keys(listed[0]!)).to.include.members(Object.keys(shownDelivery!));
      const [refused] = responsesTo('limit=5001');
      expect({ ...error, request_id: '' }).to.deep.equal({ ...refused, request_id: '' });
      const { last_active_timestamp } = found.data;
      expect({ ...device, data: { ...device!.data, last_active_timestamp } }).to.deep.equal(found);
      const page1 = JSON.parse(await readFile(join(folder, 'page.json'), 'utf8')) as Response;
      const { rows } = coffee!.data;
      expect({ ...coffee, data: { ...coffee!.data, rows: page1.data.rows } }).to.deep.equal(page1);
      expect(page1.data.rows).to.have.lengthOf(rows.length);
      for (const [index, row] of rows.entries()) expect(page1.data.rows[index]).to.include(row);
      const changes = [...read(page).matchAll(/`(\{"op":[^`]+)`/g)].map(([, text = '']) => parseShown(text));
      expect(changes.map((change) => Object.keys(change))).to.deep.equal([
        ['op', 'key', 'row'],
        ['op', 'key'],
        ['op', 'kind', 'id', 'columns'],
      ]);
    });

    it('reads the status of devices and the uptime of an app', () => {
      const [devices, ofSite, device, feeders, uptime] = responsesTo('devices/status?');
      const listed = [devices, ofSite].map((response) => response?.data.rows.map(({ id, status }) => [id, status]));
      expect(listed).to.deep.equal([
        [
          [31, 'online'],
          [32, 'offline'],
        ],
        [[31, 'online']],
      ]);
      expect(device?.data).to.include({ name: 'Concourse screen', status: 'online' });
      expect(feeders?.data).to.include({ count: 1 });
      expect(uptime?.data.summary).to.include({ running_seconds: 360, stopped_seconds: 1_440 });
    });

    it('reads pages with curl, and all of them with Python', async () => {
      expect(responsesTo('limit=2&after')[0]?.data).to.include({ total: 5, count: 2 });
      const printed = (await python('coffee.py')).trim();
      expect(printed).to.equal('Demo campaign: 5 plays, 2 contacts');
      expect(read(page)).to.include(`it prints \`${printed}\``);
      expect(responsesTo('sort=desc')[0]?.data.rows.map(({ WATCHERID: id }) => id)).to.deep.equal([7]);
      expect(responsesTo('X-Network-Name')[0]?.data).to.include({ total: 5 });
    });

    it('downloads files', async () => {
      const csv = await readFile(join(folder, 'coffee.csv'), 'utf8');
      expect(csv.trimEnd().split('\r\n')).to.have.length(6);
      expect((await stat(join(folder, 'coffee.parquet'))).size).to.be.greaterThan(1_000);
      const invoice = await readFile(join(folder, 'invoice.csv'), 'utf8');
      expect(invoice.trimEnd().split('\r\n')).to.have.length(6);
      expect(await readFile(join(folder, 'invoice-again.csv'), 'utf8')).to.equal(invoice);
    });

    it('keeps copies with all columns, after corrections, renames and rows that come again with the same version', async () => {
      for (const dataset of ['coffee', 'watcher-summary', 'coffee'])
        expect(await python('changes.py', dataset)).to.equal(`${dataset} is current\n`);
      const { client } = createTestPartner(service.credentials);
      const { ops_base_url, operator_token } = service.credentials;
      const register = async (entities: object) => {
        const applied = await fetch(`${ops_base_url}/ops/v1/registry`, {
          method: 'POST',
          headers: { authorization: `Bearer ${operator_token}`, 'content-type': 'application/json' },
          body: JSON.stringify(entities),
        });
        expect(applied.status).to.equal(200);
      };
      const spot = (name: string) => ({
        creatives: [
          {
            external_id: 'DEMO-CR-1',
            title: 'demo_spot_10s.mp4',
            display_title: name,
            campaign: 61,
            duration_ms: 10_000,
          },
        ],
      });
      await client.recordDetections([laterDetection]);
      await register({ feeders: [{ id: 41, name: 'Renamed feed', device: 31 }], ...spot('Renamed spot') });
      const { rows } = await waitUntil(
        () => client.coffeePage(day),
        (found) =>
          found.rows.some((row) => row.WATCHERID === 8) &&
          found.rows.some((row) => row.WATCHERID === 7 && row.FEEDER_NAME === 'Renamed feed') &&
          found.rows.every((row) => row.DISPLAY_TITLE === 'Renamed spot'),
      );
      const program = `import json, sqlite3, sys
db = sqlite3.connect(f"{sys.argv[1]}.sqlite")
db.row_factory = sqlite3.Row
def value(name, text):
    if name == "IS_BUSINESSHOUR":
        return bool(text)
    return json.loads(text) if isinstance(text, str) and text.startswith("[") else text
own = ("OP", "KEY", "VERSION", "RENAMED_KIND", "RENAMED_ID", "RENAMED_TO", "nth")
print(json.dumps([{name: value(name, row[name]) for name in row.keys() if name not in own} for row in db.execute("SELECT * FROM report")]))`;
      const sorted = (given: readonly object[]) => given.map((row) => JSON.stringify(row)).toSorted();
      const copyOf = async (dataset: string): Promise<readonly Readonly<Record<string, unknown>>[]> => {
        await python('changes.py', dataset);
        return JSON.parse(await python('-c', program, dataset)) as readonly Readonly<Record<string, unknown>>[];
      };
      const isOfDay = (row: Readonly<Record<string, unknown>>) => row['DT_ONLY_SITE_TZ'] === '2026-08-21';
      await waitUntil(
        async () => sorted((await copyOf('coffee')).filter(isOfDay)),
        (copied) => JSON.stringify(copied) === JSON.stringify(sorted(rows)),
      );
      const watchers = async () => sorted((await client.watcherSummaryPage({ ...day, limit: 5_000 })).rows);
      await waitUntil(
        async () => [await watchers(), sorted(await copyOf('watcher-summary'))] as const,
        ([listed, copied]) => listed.length === 2 && listed.every((row) => copied.includes(row)),
      );
      await register(spot('Demo spot'));
    });

    it('agrees with the README of the client for Python', async () => {
      const [text = ''] = blocksOf('client-python/README.md', 'python');
      const { query_base_url, client_id, client_secret } = service.credentials;
      const given = `base_url, client_id, client_secret = ${JSON.stringify([query_base_url, client_id, client_secret])}
def apply(changes, since):
    print(len(changes) > 0, len(since) > 0)
`;
      const output = (await python('-c', given + text)).trim().split('\n');
      expect(output).to.include('Demo campaign 3.2');
      expect(output.at(-1)).to.equal('True True');
      const files = (await readdir(folder)).filter((entry) => entry.endsWith('01.parquet')).toSorted();
      expect(files).to.deep.equal(['07', '08', '09'].map((month) => `coffee-2026-${month}-01.parquet`));
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
        const report = [
          'const report = (...what) => process.stdout.write(`${JSON.stringify(what)}\\n`);',
          'const apply = (changes, since) => report(changes.length > 0, typeof since);',
        ].join('\n');
        await writeFile(name, `const { ${Object.keys(names).join()} } = ${JSON.stringify(names)};\n${report}\n${text}`);
        const { stdout } = await promisify(execFile)(process.execPath, [name], { cwd: folder });
        outputs.push(...stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as unknown])));
      }
      const [viewer, applied, job, refused, ...more] = outputs as readonly (readonly unknown[])[];
      expect(viewer).to.deep.equal(['Demo campaign', 3.2]);
      expect(applied).to.deep.equal([true, 'string']);
      expect(job).to.deep.equal(['completed', 3]);
      expect(refused?.slice(0, 2)).to.deep.equal([400, 'INVALID_PARAM']);
      expect(more).to.deep.equal([]);
      const months = (await readdir(folder)).filter((entry) => /^coffee-2026.*\.csv$/.test(entry)).toSorted();
      expect(months).to.deep.equal(['coffee-2026-07-01.csv', 'coffee-2026-08-01.csv', 'coffee-2026-09-01.csv']);
    });

    it('subscribes to notices, receives a test, redelivers, rotates the secret and deletes the subscription', async () => {
      const created = JSON.parse(await readFile(join(folder, 'webhook.json'), 'utf8')) as Response;
      expect(created.data.secret).to.match(/^whsec_/);
      const [tested, notice] = responsesTo('/test"');
      expect(notice).to.deep.equal(tested?.data.payload).and.to.include({ type: 'test' });
      const [list, listed, redelivered, rotated, deleted] = responsesTo('/redeliver"');
      expect(list?.data.webhooks.map(({ id }) => id)).to.deep.equal([created.data.id]);
      expect(listed?.data.deliveries.map(({ payload }) => payload.type)).to.deep.equal(['test']);
      expect(redelivered?.data).to.deep.equal({ queued: 0 });
      expect(rotated?.data.secret)
        .to.match(/^whsec_/)
        .and.not.equal(created.data.secret);
      expect(deleted?.data).to.deep.equal({ id: created.data.id });
    });

    it('reads the details of an error', () => {
      const { error } = responsesTo('limit=5001')[0]!;
      expect(error.code).to.equal('INVALID_PARAM');
      expect(error.details.map(({ path }) => path)).to.have.members(['to', 'limit']);
    });
  });
};

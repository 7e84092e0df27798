import { execFile } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Notice } from '@popsvc/contracts/webhooks';
import { expect } from 'chai';
import { read, root } from '../architecture/tree.fixture.ts';
import { waitUntil, temporaryFolder, type Service } from '@popsvc/tools/rig';
import { describeIfInstalled, isInstalled } from '../support/run-conditions.ts';
import { blocksOf, programsOf } from './guide-blocks.fixture.ts';

const page = 'docs/guides/vendors.md';
const blocks = (language: string): readonly string[] => blocksOf(page, language);
const required = ['curl', 'python3'];
const missing = required.filter((program) => !isInstalled(program));

/** The shell blocks of the guide with the addresses of this service, and a separator after each block. */
const buildScript = (service: Service): string =>
  [
    'set -euo pipefail',
    ...blocks('sh').map((block) =>
      block
        .replaceAll('http://localhost:8081', service.credentials.ingest_base_url)
        .replaceAll('http://localhost:8080', service.credentials.query_base_url)
        .replaceAll('npx popsvc', `node ${join(root, 'cli/bin/popsvc.js')}`),
    ),
  ].join('\necho; echo ----\n');

/** Runs the commands of the guide against the service. Expects that network 1 has no other events of 21 August 2026. */
export const vendorGuideTests = (running: () => Service): void => {
  describeIfInstalled(missing[0] ?? required.join(), missing.length === 0, 'the guide for vendors', function () {
    let service: Service;
    let folder: string;
    let answers: readonly string[];

    before(async function () {
      service = running();
      folder = await temporaryFolder('vendor-guide');
      await mkdir(join(folder, '.data/guide'), { recursive: true });
      for (const [name, text] of programsOf(page, 'python')) await writeFile(join(folder, '.data/guide', name), text);
      await writeFile(join(folder, 'guide.sh'), buildScript(service));
      const env = { ...process.env, DATA_DIR: service.dataDir };
      const { stdout } = await promisify(execFile)('bash', ['guide.sh'], { cwd: folder, env });
      answers = stdout.split('----\n').map((text) => text.trim());
    });

    const answerTo = (text: string): string => {
      const index = blocks('sh').findIndex((block) => block.includes(text));
      expect(index, text).to.be.at.least(0);
      return answers[index + 1]!;
    };

    it('sends plays, detections, heartbeats and intervals', () => {
      const [head = '', body = ''] = answerTo('pop/events" ').split(/\r?\n\r?\n/);
      expect(head).to.match(/^HTTP\/1\.1 202 Accepted/);
      expect(JSON.parse(body)).to.include({ eventCount: 1 });
      expect(JSON.parse(answerTo('"eventId": "guide-1", "screenId"'))).to.include({ eventCount: 2 });
      expect(JSON.parse(answerTo('audience/detections'))).to.include({ eventCount: 1 });
      expect(answerTo('v1/heartbeats').match(/"eventCount":\d/g)).to.deep.equal(['"eventCount":2', '"eventCount":1']);
      expect(JSON.parse(answerTo('pop/dynamic" '))).to.include({ eventCount: 1, schemaVersion: 'guide-1' });
    });

    it('reads reports with the API key', () => {
      const [devices = '', watchers = ''] = answerTo('v1/watcher-summary').split('\n');
      expect(devices).to.include('"id":31');
      expect(JSON.parse(watchers)).to.include({ status: true });
    });

    it('writes its files to its own folder only', async () => {
      expect((await readdir(folder)).toSorted()).to.deep.equal(['.data', 'guide.sh']);
    });

    it('sends plays with the program, which compares them', () => {
      expect([...programsOf(page, 'python').keys()]).to.deep.equal(['push.py']);
      expect(answerTo('python3 push.py')).to.equal('2 plays are stored');
      expect(read(page)).to.include('It prints `2 plays are stored`.');
    });

    it('uploads a file and reports its bad row', () => {
      const job = JSON.parse(answerTo('until curl')) as { errors: { row: number; error: string }[] };
      expect(job).to.include({ status: 'partially_completed', totalRows: 3, processedRows: 2, errorRows: 1 });
      expect(job).to.include({ bytesRead: 210, sizeBytes: 210, delimiter: ',' });
      expect(job.errors.map(({ row }) => row)).to.deep.equal([3]);
      expect(job.errors[0]!.error).to.include('playedAt');
    });

    it('validates events without storing them', () => {
      const [invalid = ''] = answerTo('validate_only').split('\n');
      const { error } = JSON.parse(invalid) as { error: { code: string; details: { path: string }[] } };
      expect(error.code).to.equal('INVALID_EVENT');
      expect(error.details.map(({ path }) => path)).to.have.members(['events[0].playedAt', 'events[0].durationMs']);
    });

    it('shows what the mapping would do with events', () => {
      const [, text = ''] = answerTo('dynamic?validate_only').split('\n');
      expect(blocks('text').join('')).to.include(`${text}\n`);
      const trial = JSON.parse(text) as { quarantined: { path: string; code: string }[] };
      expect(trial).to.include({ mappingVersion: 1, quarantinedCount: 1 });
      expect(trial.quarantined[0]).to.include({ path: 'events[0]', code: 'unparsable' });
    });

    it('subscribes to notices', () => {
      const { data } = JSON.parse(answerTo('v1/webhooks')) as { data: { secret: string } };
      expect(data.secret).to.match(/^whsec_/);
    });

    it('returns the counts by hour of receipt, which sum up, and those of a past day', () => {
      const pages = JSON.parse(`[${answerTo('pop/summary').replaceAll('\n', ',')}]`) as {
        data: {
          hours: { received: number; stored: number; duplicate: number; conflict: number; quarantined: number }[];
        };
      }[];
      expect(pages).to.have.length(2);
      for (const { received, stored, duplicate, conflict, quarantined } of pages[0]!.data.hours)
        expect(received).to.equal(stored + duplicate + conflict + quarantined);
    });

    it('stops polling and shows the error if the job was not started', async () => {
      const polling = buildScript(service)
        .split('\necho; echo ----\n')
        .find((block) => block.includes('until curl'))!;
      const script = `JOB_ID= KEY=${service.credentials.api_key}\necho refused > job.json\n${polling}`;
      const { stdout } = await promisify(execFile)('bash', ['-euc', script], {
        cwd: await temporaryFolder('vendor-guide-polling'),
        timeout: 10_000,
      });
      expect(stdout).to.equal('refused\n');
    });

    it('compares plays with the stored ones, with the responses of the guide', async () => {
      const { ingest_base_url, api_key } = service.credentials;
      const bodies = blocks('sh').flatMap((block) => block.match(/pop\/reconcile.*-d '(\{.*\})'/s)?.[1] ?? []);
      const shown = blocks('text').filter((block) => block.includes('plays compared'));
      expect([bodies.length, shown.length]).to.deep.equal([2, 2]);
      const headers = { 'x-api-key': api_key, 'content-type': 'application/json' };
      for (const [index, body] of bodies.entries()) {
        const compare = async () =>
          (await fetch(`${ingest_base_url}/popsvc/v1/pop/reconcile`, { method: 'POST', headers, body })).text();
        await waitUntil(compare, (answer) => answer === shown[index]!.trim());
      }
    });

    it('shows the body of a notice', () => {
      const shown = blocks('text').find((block) => block.includes('job.finished'))!;
      expect(Notice.safeParse(JSON.parse(shown)).success).to.equal(true);
    });

    it('verifies the signature of a notice in Python', async () => {
      const text = read(page);
      const [, secret] = /the secret `(whsec_[^`]+)`/.exec(text)!;
      const headers = {
        'webhook-id': /the id `([^`]+)`/.exec(text)![1],
        'webhook-timestamp': /the timestamp `([^`]+)`/.exec(text)![1],
        'webhook-signature': `v1,other ${/the signature is `([^`]+)`/.exec(text)![1]}`,
      };
      const body = blocks('text')
        .find((block) => block.includes('job.finished'))!
        .trim();
      const own = await temporaryFolder('vendor-guide-signature');
      const python = blocks('python').find((block) => block.includes('is_genuine'))!;
      const given = [secret, headers].map((value) => JSON.stringify(value)).join();
      await writeFile(
        join(own, 'verify.py'),
        `${python}\nimport sys\nprint(*(str(is_genuine(${given}, one.encode(), now)).lower() for now in (${headers['webhook-timestamp']}, None) for one in sys.argv[1:]))`,
      );
      const { stdout } = await promisify(execFile)('python3', [join(own, 'verify.py'), body, `${body} `]);
      expect(stdout, 'then, also with another body, and now').to.equal('true false false false\n');
    });

    it('returns the status of an event, and the report contains every play', async function () {
      const { ingest_base_url, query_base_url, api_key } = service.credentials;
      const headers = { 'x-api-key': api_key };
      const report = `${query_base_url}/api/v1/coffee?from=2026-08-21&to=2026-08-22`;
      interface Page {
        readonly data: { readonly rows: readonly { readonly EVENT_ID: string; readonly POP_TYPE: string }[] };
      }
      const rowsNow = async () => ((await (await fetch(report, { headers })).json()) as Page).data.rows;
      const isSeen = (row: { POP_TYPE: string }) => row.POP_TYPE === 'VIEWER';
      const rows = await waitUntil(rowsNow, (seen) => seen.length === 5 && seen.some(isSeen));
      expect(rows.map(({ EVENT_ID }) => EVENT_ID).toSorted()).to.deep.equal([1, 2, 3, 4, 5].map((n) => `guide-${n}`));
      expect(Object.fromEntries(rows.map((row) => [row.EVENT_ID, row.POP_TYPE]))).to.include({
        'guide-1': 'VIEWER',
        'guide-3': 'UNMEASURED',
      });
      const response = await fetch(`${ingest_base_url}/popsvc/v1/pop/events/guide-1`, { headers });
      expect(response.status).to.equal(200);
      expect(await response.json()).to.include({ eventId: 'guide-1', status: 'projected', coffeeRows: 1 });
    });
  });
};

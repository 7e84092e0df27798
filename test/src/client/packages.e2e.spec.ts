import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { createClient as registerClient } from '@popsvc/http-kit/auth/tokens';
import { temporaryFolder } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { root } from '../architecture/tree.fixture.ts';
import { cutAfter, hangUp, json, refusal, type Reply, scriptedServer, tokens } from './scripted-server.fixture.ts';
import { contentHashVectors } from '../support/content-hash-vectors.ts';
import { describeIfInstalled, isInstalled } from '../support/run-conditions.ts';
import { smallRegistry } from '../support/small-registry.ts';
import { type TestServices, startTestServices } from '../support/test-services.ts';

const runFile = promisify(execFile);
const start = Date.parse('2026-08-20T14:00:00.000Z');
const playOf = (index: number) => ({
  eventId: `e-${index}`,
  screenId: 'screen-1',
  campaignId: 'C-100',
  creativeId: 'CR-1',
  playedAt: new Date(start + index * 10_000).toISOString(),
  durationMs: 10_000,
});
const plays = Array.from({ length: 7 }, (_, index) => playOf(index));

/** What a program with an installed client reports. */
interface Report {
  readonly pushed: number;
  readonly rows: readonly string[];
  readonly compared: { readonly matched: number; readonly missing: readonly string[] };
  readonly error: readonly unknown[];
}

const javaScriptProgram = `
import { contentHash, createClient, ServiceError } from '@popsvc/client';
const { baseUrl, ingestUrl, apiKey, clientId, clientSecret, plays } = JSON.parse(process.env.INPUT);
const vendor = createClient({ ingestUrl, apiKey });
const { eventCount: pushed } = await vendor.recordPlays(plays, { idempotencyKey: 'installed-js', validateOnly: true });
const partner = createClient({ baseUrl, clientId, clientSecret });
const rows = [];
for await (const row of partner.coffee({ from: '2026-08-20', to: '2026-08-21', limit: 3 })) rows.push(row.EVENT_ID);
const events = plays.map((play) => ({ eventId: play.eventId, contentHash: contentHash(play) }));
const window = { from: '2026-08-20T14:00:00Z', to: '2026-08-20T15:00:00Z' };
const compared = await vendor.reconcile({ ...window, events: [...events, { eventId: 'not-sent' }] });
const failure = await partner.deviceStatus(77).catch((error) => error);
const error = [failure instanceof ServiceError, failure.status, failure.code];
console.log(JSON.stringify({ pushed, rows, compared, error }));
`;

const pythonProgram = `
import json, os, sys
from popsvc_client import Client, ConnectionFailed, ServiceError, content_hash, windows
given = json.loads(os.environ["INPUT"])
plays = given["plays"]
vendor = Client(ingest_url=given["ingestUrl"], api_key=given["apiKey"])
pushed = vendor.record_plays(plays, idempotency_key="installed-py", validate_only=True)["eventCount"]
partner = Client(base_url=given["baseUrl"], client_id=given["clientId"], client_secret=given["clientSecret"])
rows = [row["EVENT_ID"] for row in partner.coffee("2026-08-20", "2026-08-21", limit=3)]
events = [{"eventId": play["eventId"], "contentHash": content_hash(play)} for play in plays]
window = ("2026-08-20T14:00:00Z", "2026-08-20T15:00:00Z")
compared = vendor.reconcile(*window, events=[*events, {"eventId": "not-sent"}])
try:
    partner.get_device_status(77)
    error = []
except ServiceError as failure:
    error = [True, failure.status, failure.code]
saved = os.path.join(given["folder"], "coffee.csv")
download = partner.download_coffee("2026-08-20", "2026-08-21", format="csv")
size = partner.save(download, saved)
listed = os.listdir(given["folder"])
with partner.download_coffee_changes() as changed:
    changes = [changed.read().count(b"\\n") > 0, bool(changed.next_since), changed.has_more]
with open(os.path.join(given["folder"], "plays.ndjson"), "w") as file:
    file.write('{"a":1}\\n' * 1000)
file_id = vendor.upload_file(file.name, "ndjson")
job = vendor.get_bulk_job(vendor.start_bulk_ingest({"fileId": file_id, "schemaVersion": "v1"})["jobId"])
unreachable = Client(base_url="http://127.0.0.1:9", api_key=given["apiKey"], retry_timeout=0)
try:
    unreachable.list_metric_definitions()
except ConnectionFailed as failure:
    unanswered = str(failure)
names = partner.list_feeder_status(network="harbour media ", site_id=[2])["data"]["count"]
try:
    partner.list_feeder_status(site_id=[])
except ValueError as failure:
    empty = str(failure)
bad_windows = []
for edges in (("2026-08-20T00:00:00", "2026-08-21"), ("2026-08-20", "2026-08-20T02:00:00+02:00"), ("2026-02-31", "2026-08-21")):
    try:
        windows(*edges)
    except ValueError as failure:
        bad_windows.append(str(failure).split(" ")[0])
print(json.dumps({
    "windows": list(windows("2026-07-01", "2026-09-01T02:00:00+02:00")), "bad_windows": bad_windows,
    "pushed": pushed, "rows": rows, "compared": compared, "error": error,
    "file": [download.file_name, size == os.path.getsize(saved), listed],
    "job": [job["status"], job["sizeBytes"]], "unanswered": unanswered, "names": names, "empty": empty, "changes": changes,
    "dictionary": partner.get_data_dictionary(format="csv").split(",")[0],
    "hashes": [content_hash(vector["play"]) for vector in given["vectors"]],
    "path": sys.modules["popsvc_client"].__file__,
}))
`;

const pythonFaults = `
import json, os
from popsvc_client import Client, ConnectionFailed, ServiceError
given = json.loads(os.environ["INPUT"])
vendor = Client(ingest_url=given["url"], api_key="acme_sk_1")
counts = [vendor.record_heartbeats(items)["eventCount"] for items in ({"heartbeats": []}, [])]
partner = Client(base_url=given["url"], client_id="c", client_secret="s")
rows = list(partner.coffee("2026-08-20", "2026-08-21"))
try:
    list(partner.watcher_summary("2026-08-20T00:00:00Z", "2026-08-21T00:00:00Z"))
except ServiceError as error:
    forbidden = [error.status, error.code, error.request_id]
cut = []
for _ in range(2):
    try:
        partner.save(partner.download_coffee("2026-08-20", "2026-08-21"), os.path.join(given["folder"], "cut.csv"))
    except ConnectionFailed as error:
        cut.append(str(error))
left = [name for name in os.listdir(given["folder"]) if name.startswith("cut")]
try:
    partner.rotate_webhook("w-1")
except ServiceError as error:
    rotated = error.status
refused = []
for name, fields in (("api_key", {"api_key": "two words"}), ("base_url", {"base_url": "http://a:b@c", "api_key": "k"})):
    try:
        Client(**fields)
    except ValueError as error:
        refused.append(str(error).split(" ")[0])
print(json.dumps({"counts": counts, "rows": rows, "forbidden": forbidden, "cut": cut, "left": left, "refused": refused, "rotated": rotated}))
`;

describe('the packages of the clients, installed', function () {
  this.timeout(180_000);
  let system: TestServices;
  let input: Readonly<Record<string, unknown>>;
  let folder: string;

  before(async () => {
    folder = await temporaryFolder('packages');
    system = await startTestServices();
    await system.register(smallRegistry);
    for (const play of plays) await system.play(play);
    await system.project();
    const { client, clientSecret } = await registerClient(system.postgres, { networkIds: [1] });
    input = {
      baseUrl: system.queryUrl,
      ingestUrl: system.ingestUrl,
      apiKey: await system.apiKey(),
      clientId: client.clientId,
      clientSecret,
      plays,
      vectors: contentHashVectors,
    };
  });
  after(() => system.close());

  const expectReport = ({ pushed, rows, compared, error }: Report) => {
    expect(pushed).to.equal(plays.length);
    expect(rows.toSorted()).to.deep.equal(plays.map(({ eventId }) => eventId));
    expect(compared).to.deep.include({ matched: plays.length, missing: ['not-sent'] });
    expect(error).to.deep.equal([true, 404, 'NOT_FOUND']);
  };

  it('@popsvc/client works and has types in an empty project', async () => {
    const packed = join(folder, 'packed');
    const project = join(folder, 'project');
    await Promise.all([mkdir(packed), mkdir(project)]);
    await runFile('npm', ['pack', '--silent', '-w', 'client', '--pack-destination', packed], { cwd: root });
    const [tarball] = await readdir(packed);
    await writeFile(join(project, 'package.json'), '{ "name": "empty", "private": true, "type": "module" }');
    const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'];
    await runFile('npm', ['install', ...options, join(packed, tarball!)], { cwd: project });
    const installed = await readdir(join(project, 'node_modules/@popsvc/client'));
    expect(installed.toSorted()).to.deep.equal(['LICENSE', 'README.md', 'dist', 'package.json']);
    await writeFile(join(project, 'program.js'), javaScriptProgram);
    const env = { ...process.env, INPUT: JSON.stringify(input) };
    const { stdout } = await runFile(process.execPath, ['program.js'], { cwd: project, env });
    expectReport(JSON.parse(stdout) as Report);

    const typed = `import { createClient, type CoffeeRow } from '@popsvc/client';
const client = createClient({ baseUrl: 'http://localhost', apiKey: 'x' });
for await (const row of client.coffee({ from: '2026-08-20', to: '2026-08-21' })) {
  const id: number = row.DETAILID;
  const same: CoffeeRow = row;
  void [id, same];
}
`;
    await writeFile(join(project, 'typed.ts'), typed);
    const compiler = join(root, 'node_modules/typescript-7/bin/tsc');
    const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--skipLibCheck'];
    await runFile(process.execPath, [compiler, ...flags, 'typed.ts'], { cwd: project });
    await writeFile(join(project, 'typed.ts'), typed.replace(': number', ': string'));
    const wrong = await runFile(process.execPath, [compiler, ...flags, 'typed.ts'], { cwd: project }).catch(
      (error: unknown) => (error as { stdout: string }).stdout,
    );
    expect(wrong).to.include("Type 'number' is not assignable to type 'string'");
  });

  const programs = ['python3', 'pyproject-build', 'pip3'];
  const missing = programs.find((program) => !isInstalled(program));
  describeIfInstalled(missing ?? programs.join(), missing === undefined, 'popsvc-client', () => {
    let target: string;
    before(async () => {
      const source = join(folder, 'client-python');
      await cp(join(root, 'client-python'), source, {
        recursive: true,
        filter: (path) => !['generated', 'build', 'dist', '__pycache__'].includes(basename(path)),
      });
      await runFile(process.execPath, [join(root, 'tools/build/generate-python-client.mjs'), source]);
      await runFile('pyproject-build', ['--wheel', '--no-isolation', source]);
      const [wheel] = await readdir(join(source, 'dist'));
      const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
      expect(wheel).to.equal(`popsvc_client-${version.replace('-alpha.', 'a')}-py3-none-any.whl`);
      target = join(folder, 'installed');
      const flags = ['--quiet', '--no-index', '--disable-pip-version-check', '--root-user-action=ignore'];
      await runFile('pip3', ['install', ...flags, '--target', target, join(source, 'dist', wheel!)]);
    });

    const run = async (program: string, given: object) => {
      const path = join(folder, 'program.py');
      await writeFile(path, program);
      const env = { ...process.env, PYTHONPATH: target, INPUT: JSON.stringify(given) };
      return JSON.parse((await runFile('python3', [path], { cwd: folder, env })).stdout) as Readonly<
        Record<string, unknown>
      >;
    };

    it('is a wheel that works in an empty folder', async () => {
      const files = join(folder, 'files');
      await mkdir(files);
      const report = (await run(pythonProgram, { ...input, folder: files })) as Report &
        Readonly<Record<string, unknown>>;
      expectReport(report);
      expect(report['file']).to.deep.equal(['coffee_20260820_20260821.csv', true, ['coffee.csv']]);
      expect(report['job']).to.deep.equal(['queued', 8_000]);
      expect(report['unanswered']).to.equal('127.0.0.1:9 does not answer');
      expect(report['changes']).to.deep.equal([true, true, false]);
      expect(report['names']).to.equal(1);
      const edges = ['2026-07-01T00:00:00Z', '2026-08-01T00:00:00Z', '2026-09-01T00:00:00Z'];
      expect(report['windows']).to.deep.equal([edges.slice(0, 2), edges.slice(1)]);
      expect(report['bad_windows']).to.deep.equal(['from_', 'from_', 'day']);
      expect(report['empty']).to.match(/^site_id is empty/);
      expect(report['dictionary']).to.equal('dataset');
      expect(report['hashes']).to.deep.equal(contentHashVectors.map(({ contentHash }) => contentHash));
      expect(report['path']).to.include(target);
    });

    it('repeats requests with the same idempotency key, renews tokens, and reports interrupted downloads', async () => {
      const issue = tokens(3_600);
      const page = json(200, { status: true, data: { rows: [], next_after: null } });
      const replies: Readonly<Record<string, Reply[]>> = {
        '/popsvc/v1/heartbeats': [
          refusal(503, 'UNAVAILABLE', { 'retry-after': '0' }),
          hangUp,
          refusal(409, 'CONFLICT', { 'retry-after': '0' }),
          json(202, { eventCount: 1 }),
          json(202, { eventCount: 2 }),
        ],
        '/api/v1/coffee': [refusal(401, 'UNAUTHORIZED'), page],
        '/api/v1/watcher-summary': [refusal(401, 'FORBIDDEN_NETWORKS', {}, [{ path: 'X-Network-Name' }])],
        '/api/v1/webhooks/w-1/rotate': [refusal(503, 'UNAVAILABLE', { 'retry-after': '0' })],
        '/api/v1/coffee/download': [cutAfter({ 'content-length': '99' }, 'short'), cutAfter({}, 'short')],
      };
      const server = await scriptedServer(({ path }) => {
        const name = path.split('?')[0]!;
        return name === '/oauth/token' ? issue() : replies[name]!.shift()!;
      });
      try {
        const report = await run(pythonFaults, { url: server.url, folder });
        expect(report).to.deep.equal({
          counts: [1, 2],
          rows: [],
          forbidden: [401, 'FORBIDDEN_NETWORKS', 'r-1'],
          cut: ['the response ended too early', 'the response was interrupted'],
          left: [],
          refused: ['api_key', 'base_url'],
          rotated: 503,
        });
        const keysOf = (path: string, header: string) =>
          server.requests.filter((request) => request.path.startsWith(path)).map(({ headers }) => headers[header]);
        const [key, , , , otherKey] = keysOf('/popsvc/v1/heartbeats', 'idempotency-key');
        expect(keysOf('/popsvc/v1/heartbeats', 'idempotency-key')).to.deep.equal([key, key, key, key, otherKey]);
        expect(otherKey).to.be.a('string').and.not.equal(key);
        expect(keysOf('/api/v1/coffee?', 'authorization')).to.deep.equal(['Bearer token-1', 'Bearer token-2']);
        expect(keysOf('/api/v1/watcher-summary', 'authorization')).to.deep.equal(['Bearer token-2']);
      } finally {
        await server.close();
      }
    });
  });
});

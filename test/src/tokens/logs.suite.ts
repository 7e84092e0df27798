import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateApiKey } from '@popsvc/http-kit/auth';
import { expect } from 'chai';
import type { TestCollector } from '../support/collector.ts';
import { waitUntil, findSecrets, readProcessTree, type Service, readCommandLine } from '@popsvc/tools/rig';
import { auditMessages, secretFragments } from './secret-fragments.ts';
import { basic, type TokenBody } from './token-requests.fixture.ts';

type Headers = Readonly<Record<string, string>>;
const window = 'from=2026-08-20T00:00:00Z&to=2026-08-21T00:00:00Z';
const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };

/** A service with a log of level `trace`. */
export interface LoggingService {
  readonly service: Service;
  /** Receives all traces of the service. */
  readonly traces: TestCollector;
  /** The lines of its log since its start. */
  readonly lines: readonly string[];
}

/** Searches the log, the traces and the files of a service for credentials. Stops the service. */
export const secretTests = (running: () => LoggingService): void => {
  describe('keys, secrets and tokens', function () {
    const secrets = new Set<string>();
    let service: Service;
    let traces: TestCollector;
    let lines: readonly string[];
    before(() => ({ service, traces, lines } = running()));

    const secret = (text: string): string => {
      secrets.add(text);
      return text;
    };
    const statuses = new Map<number, number>();
    const request = async (url: string, options: RequestInit = {}): Promise<Response | undefined> => {
      try {
        const answer = await fetch(url, { redirect: 'manual', ...options });
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        return answer;
      } catch {
        return undefined;
      }
    };

    /** Sends a credential in every part of a request. */
    const sendEverywhere = async (credential: string): Promise<void> => {
      const { query_base_url: query, ingest_base_url: ingest, ops_base_url: ops } = service.credentials;
      const encoded = encodeURIComponent(credential);
      const headers: readonly Headers[] = [
        { 'x-api-key': credential },
        { authorization: `Bearer ${credential}` },
        { authorization: `Bearer ${credential} x` },
        { authorization: credential },
        { 'proxy-authorization': `Bearer ${credential}`, cookie: `token=${credential}` },
        { 'x-api-key': credential, authorization: `Bearer ${credential}` },
        { ...basic('popsvc_client', credential) },
        { 'x-network-name': credential, referer: `http://elsewhere/?t=${encoded}`, 'user-agent': credential },
      ];
      const body = JSON.stringify({ events: [{ eventId: 'x', api_key: credential }], client_secret: credential });
      await Promise.all([
        ...headers.flatMap((head) => [
          request(`${query}/api/v1/coffee?${window}`, { headers: head }),
          request(`${query}/api/v1/devices/status`, { headers: head }),
          request(`${ingest}/popsvc/v1/pop/events`, { method: 'POST', headers: { ...json, ...head }, body }),
          request(`${ops}/ops/v1/projections`, { headers: head }),
          request(`${query}/oauth/token`, {
            method: 'POST',
            headers: { ...form, ...head },
            body: 'grant_type=client_credentials',
          }),
        ]),
        ...[query, ingest, ops].flatMap((base) => [
          request(`${base}/api/v1/coffee?${window}&access_token=${encoded}&api_key=${encoded}`),
          request(`${base}/${encoded}?client_secret=${encoded}`),
          request(`${base}/popsvc/v1/pop/events/${encoded}`, { headers: { 'x-api-key': credential } }),
          request(`${base}/ops/v1/clients/${encoded}/rotate?secret=${encoded}`, { method: 'POST' }),
        ]),
        request(`${query}/oauth/token?client_secret=${encoded}`),
        request(`${query}/oauth/token?client_secret=${encoded}`, { method: 'POST', headers: form }),
        request(`${query}/oauth/token`, {
          method: 'POST',
          headers: form,
          body: `grant_type=client_credentials&client_id=${encoded}&client_secret=${encoded}`,
        }),
        request(`${query}/oauth/token`, { method: 'POST', headers: json, body }),
      ]);
    };

    const prepare = async (): Promise<void> => {
      const { credentials } = service;
      const operator = { ...json, authorization: `Bearer ${secret(credentials.operator_token)}` };
      const post = async (path: string, body?: object) => {
        const content = body && { body: JSON.stringify(body) };
        const answer = await request(`${credentials.ops_base_url}/ops/v1${path}`, {
          method: 'POST',
          headers: operator,
          ...content,
        });
        return (await answer?.json()) as Readonly<Record<'id' | 'api_key' | 'client_id' | 'client_secret', string>>;
      };
      const [network = 0] = credentials.network_ids;
      const vendor = credentials.api_key.split('_sk_')[0];
      const key = await post('/api-keys', { network, vendor });
      const brief = await post('/api-keys', { network, vendor, expires: new Date(Date.now() + 1_000).toISOString() });
      const { client_id, client_secret } = await post('/clients', { networks: [network] });
      const rotated = await post(`/clients/${client_id}/rotate`);
      const answer = await request(credentials.token_url, {
        method: 'POST',
        body: new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret }),
      });
      const { access_token: token } = (await answer?.json()) as TokenBody;
      await request(`${credentials.ops_base_url}/ops/v1/api-keys/${key.id}`, { method: 'DELETE', headers: operator });
      const [head, claims] = token.split('.');
      for (const text of [
        credentials.api_key,
        credentials.client_secret,
        key.api_key,
        brief.api_key,
        generateApiKey('acme'),
        client_secret,
        rotated.client_secret,
        token,
        `${head}.${claims}.${'forged'.repeat(12)}`,
        `acme_sk_malformed-${'x7'.repeat(12)}`,
        'popsvc_cs_wrong-but-of-the-right-length-0123456789abc',
      ])
        secret(text);
    };

    const upload = async (): Promise<void> => {
      const { ingest_base_url: ingest, api_key } = service.credentials;
      const answer = await request(`${ingest}/popsvc/v1/pop/dynamic/bulk/upload-url`, {
        method: 'POST',
        headers: { ...json, 'x-api-key': api_key },
        body: JSON.stringify({ fileName: 'a.ndjson', format: 'ndjson' }),
      });
      const { uploadUrl, contentType } = (await answer?.json()) as { uploadUrl: string; contentType: string };
      const signature = [...new URL(uploadUrl).searchParams.values()].find((value) => value.length > 30) ?? '';
      secret(signature);
      for (const url of [uploadUrl, uploadUrl.replace(signature, `${signature.slice(0, -4)}AAAA`), `${uploadUrl}&x=1`])
        await request(url, { method: 'PUT', headers: { 'content-type': contentType }, body: '{"a":1}\n' });
    };

    const sendAll = (most = Infinity) => Promise.all([...secrets].slice(0, most).map(sendEverywhere));

    /** Kills a process and sends requests until it is back. */
    const withoutProcess = async (command: RegExp): Promise<void> => {
      const isPart = (pid: number) => command.test(readCommandLine(pid));
      const [pid] = readProcessTree(service.pid).filter(isPart);
      expect(pid, String(command)).a('number');
      process.kill(pid!, 'SIGKILL');
      await sendAll(4);
      await waitUntil(
        async () => (await request(`${service.credentials.query_base_url}/readyz`))?.status,
        (status) => status === 200,
        60_000,
      );
    };

    it('are in no log line, trace or file, in any part of a request and during any failure', async () => {
      await prepare();
      await upload();
      await sendAll();
      await withoutProcess(/clickhouse\/main/);
      await withoutProcess(/postgres.* -D/);
      await service.stop();
      for (const status of [200, 400, 401, 404, 405, 503]) expect(statuses.get(status), `${status}s`).above(0);
      expect(lines.length, 'lines of the log').above(30);
      const log = lines.join('\n');
      expect(auditMessages.filter((message) => !lines.some((line) => line.includes(message)))).deep.equal([]);
      const needles = [...secrets].flatMap(secretFragments);
      const inLog = needles.filter((needle) => log.includes(needle));
      expect(inLog.map((needle) => lines.find((line) => line.includes(needle)))).deep.equal([]);
      const spans = traces.received();
      expect(traces.spans().length, 'spans').above(300);
      expect(needles.filter((needle) => spans.includes(needle))).deep.equal([]);
      const inFiles: string[] = [];
      for (const entry of await readdir(service.dataDir, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile() || ['demo-credentials.json', 'secrets.json'].includes(entry.name)) continue;
        const path = join(entry.parentPath, entry.name);
        const bytes = await readFile(path);
        if (needles.some((needle) => bytes.includes(needle))) inFiles.push(path);
      }
      expect(inFiles).deep.equal([]);
    });

    it('would be found by the search', () => {
      const key = generateApiKey('acme');
      const token = `eyJ${'a'.repeat(20)}.eyJ${'b'.repeat(20)}.${'c'.repeat(20)}`;
      for (const text of [key, token, encodeURIComponent(token).replaceAll('.', '%2E'), `popsvc_cs_${'d'.repeat(43)}`])
        expect(findSecrets(`{"url":"/?x=${text}"}`), text).length(1);
      expect(findSecrets('acme_sk_0123 eyJ.eyJ')).deep.equal([]);
      const header = basic('popsvc_client', key).authorization;
      expect(secretFragments(key).some((trace) => header.includes(trace))).equal(true);
    });
  });
};

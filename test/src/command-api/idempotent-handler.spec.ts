import {
  createIdempotentHandler,
  defaultIntakeTimeouts,
  deriveEventIds,
  type ExecuteRequest,
} from '@popsvc/command-api/intake';
import { createApiKeyVerifier, createApiKey, createAuthenticator, startRevocationWatch } from '@popsvc/http-kit/auth';
import { createServer, type HttpServer, jsonResponse } from '@popsvc/http-kit/server';
import { openPostgres, type Postgres } from '@popsvc/platform/postgres';
import { createLog, createMetrics } from '@popsvc/platform/telemetry';
import { expect } from 'chai';
import { freshRecordsUrl } from './command-api.fixture.ts';
import { expectApiError, sender, type Sender } from './sender.fixture.ts';

const path = '/popsvc/v1/anything';
const keyed = (key: string) => ({ headers: { 'Idempotency-Key': key } });

/** What this handler adds to retries; idempotency.spec.ts shows what it shares with intake routes. */
describe('command-api: idempotent handler', () => {
  let [postgres, server, send, now] = [] as unknown as [Postgres, HttpServer, Sender, number];
  let work: ExecuteRequest;
  let stop: () => void;
  const done: string[] = [];

  before(async () => {
    const log = createLog('test', 'silent');
    postgres = openPostgres({ url: await freshRecordsUrl(), log, name: 'test' });
    const watch = await startRevocationWatch(postgres, { log });
    stop = () => watch.stop();
    server = createServer({
      routes: [
        {
          method: 'post',
          path,
          summary: 'Anything.',
          access: 'ingest',
          body: 'json',
          handle: createIdempotentHandler(
            { postgres, clock: { now: () => now }, timeouts: defaultIntakeTimeouts },
            path,
            (request, attempt) => work(request, attempt),
          ),
        },
      ],
      authenticate: createAuthenticator({ apiKeys: createApiKeyVerifier(postgres, watch) }),
      log,
      metrics: createMetrics('test'),
      checks: {},
    });
    const { apiKey } = await createApiKey(postgres, { vendor: 'acme', networkId: 1 });
    send = sender(`http://127.0.0.1:${await server.listen({ port: 0, host: '127.0.0.1' })}`, apiKey);
  });
  beforeEach(() => {
    now = Date.parse('2026-09-14T12:00:00Z');
    done.length = 0;
    work = (_, { isValidateOnly, identity }) => {
      const [id] = deriveEventIds(identity, 1);
      if (!isValidateOnly) done.push(id!);
      return Promise.resolve(jsonResponse(isValidateOnly ? 200 : 202, { message: id }));
    };
  });
  after(async () => {
    await server.close();
    stop();
    await postgres.end();
  });

  it('executes a request once per key, and every time without a key', async () => {
    const first = await send(path, { a: 1 }, keyed('one'));
    const again = await send(path, { a: 1 }, keyed('one'));
    expect(first.headers.get('idempotency-replayed')).to.equal(null);
    expect(again.headers.get('idempotency-replayed')).to.equal('true');
    expect({ status: again.status, body: again.body }).to.deep.equal({ status: 202, body: first.body });
    await send(path, { a: 1 });
    await send(path, { a: 1 });
    expect(new Set(done)).to.have.property('size', 3);
    expect(done).to.have.length(3);
  });

  it('executes nothing with validate_only and rejects other parameters', async () => {
    const validated = await send(path, {}, { ...keyed('validate only'), query: '?validate_only=true' });
    expect({ status: validated.status, done: done.length }).to.deep.equal({ status: 200, done: 0 });
    expect((await send(path, {}, keyed('validate only'))).status).to.equal(202);
    expectApiError(await send(path, {}, { query: '?only=true' }), 400, 'INVALID_PARAM', ['only']);
  });

  it('keeps the time of receipt and the ids of the first attempt after a failure', async () => {
    const good = work;
    work = async (request, attempt) => {
      await good(request, attempt);
      throw new Error('broken');
    };
    expectApiError(await send(path, { a: 1 }, keyed('failed')), 500, 'INTERNAL');
    now += 3_600_000;
    let receivedAtMs = 0;
    work = (request, attempt) => {
      ({ receivedAtMs } = attempt);
      return good(request, attempt);
    };
    expect((await send(path, { a: 1 }, keyed('failed'))).status).to.equal(202);
    expect(receivedAtMs).to.equal(now - 3_600_000);
    expect(done).to.deep.equal([done[0], done[0]]);
  });

  it('executes the request again, with other ids, after 24 h', async () => {
    await send(path, { a: 1 }, keyed('old'));
    await postgres.query(
      `UPDATE idempotency_keys SET created_at = created_at - interval '24 hours 1 second' WHERE key = 'old'`,
    );
    now += 86_401_000;
    expect((await send(path, { a: 1 }, keyed('old'))).headers.get('idempotency-replayed')).to.equal(null);
    expect(new Set(done)).to.have.property('size', 2);
  });
});

import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { type IntakeKind, intakeStream } from '@popsvc/contracts/events';
import { createApiKey } from '@popsvc/platform/auth';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { registerPlaces } from './registry.fixture.ts';
import {
  detection,
  detectionPath,
  dynamicPath,
  expectRefusal,
  heartbeat,
  heartbeatPath,
  interval,
  intervalPath,
  play,
  popPath,
  sender,
} from './sender.fixture.ts';

const now = Date.parse('2026-09-14T12:00:00.000Z');
const keyed = (key: string) => ({ headers: { 'Idempotency-Key': key } });

interface Door {
  readonly path: string;
  readonly kind: IntakeKind;
  readonly list: string;
  readonly item: (over?: Readonly<Record<string, unknown>>) => object;
  readonly beside?: object;
}

const doors: readonly Door[] = [
  { path: popPath, kind: 'pop', list: 'events', item: (over) => play({ playedAt: '2026-09-14T11:00:00Z', ...over }) },
  {
    path: dynamicPath,
    kind: 'dynamicPop',
    list: 'events',
    item: (over) => ({ a: 1, ...over }),
    beside: { schemaVersion: 'v1' },
  },
  { path: detectionPath, kind: 'detection', list: 'detections', item: detection },
  { path: heartbeatPath, kind: 'heartbeat', list: 'heartbeats', item: heartbeat },
  { path: intervalPath, kind: 'interval', list: 'intervals', item: interval },
];

describe('command-api: every door', function () {
  this.timeout(60_000);
  let api: TestCommandApi;
  before(async () => {
    api = await commandApi({ clock: { now: () => now } });
    await registerPlaces(api.store);
  });
  after(() => api.close());

  for (const { path, kind, list, item, beside = {} } of doors)
    describe(path, () => {
      const body = (...items: readonly object[]) => ({ ...beside, [list]: items.length > 0 ? items : [item()] });
      const stored = async () => (await api.events(intakeStream(kind, 1, 'acme', now))).length;

      it('answers 202 when what was sent is in the log, packed or not', async () => {
        const before = await stored();
        const told = body(item(), item());
        const plain = await api.send(path, told);
        const packed = await api.send(path, gzipSync(JSON.stringify({ ...told, [list]: [item()] })), {
          headers: { 'Content-Encoding': 'gzip' },
        });
        expect([plain.status, plain.body.eventCount]).to.deep.equal([202, 2]);
        expect([packed.status, packed.body.eventCount]).to.deep.equal([202, 1]);
        expect(await stored()).to.equal(before + 3);
      });

      it('does what came with a key once, and answers again', async () => {
        const before = await stored();
        const told = body(item(), item());
        const one = await api.send(path, told, keyed('twice'));
        const two = await api.send(path, told, keyed('twice'));
        expect([one.status, one.headers.get('idempotency-replayed')]).to.deep.equal([202, null]);
        expect([two.status, two.headers.get('idempotency-replayed')]).to.deep.equal([202, 'true']);
        expect(two.body).to.deep.equal(one.body);
        expect(await stored()).to.equal(before + 2);
        expectRefusal(await api.send(path, body(item(), item(), item()), keyed('twice')), 409, 'CONFLICT');
      });

      it('stores nothing when it only validates', async () => {
        const before = await stored();
        const query = { query: '?validate_only=true' };
        expect((await api.send(path, body(), query)).status).to.equal(200);
        expectRefusal(await api.send(path, { ...beside, [list]: [] }, query), 400, 'INVALID_EVENT', [list]);
        expectRefusal(await api.send(path, body(), { query: '?validate=true' }), 400, 'INVALID_PARAM', ['validate']);
        expect(await stored()).to.equal(before);
      });

      it('answers 400 to what is not JSON, 401 to strangers, 405, 413 and 415', async () => {
        expectRefusal(await api.send(path, '{"'), 400, 'INVALID_REQUEST', []);
        expectRefusal(await api.send(path, `{"__proto__":{},"${list}":[]}`), 400, 'INVALID_REQUEST', []);
        expectRefusal(await sender(api.baseUrl)(path, body()), 401, 'UNAUTHORIZED');
        for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
          const reply = await api.send(path, body(), { method });
          expectRefusal(reply, 405, 'METHOD_NOT_ALLOWED', []);
          expect(reply.headers.get('allow')).to.equal('POST, OPTIONS');
        }
        const large = JSON.stringify(body()) + ' '.repeat(5 * 1_048_576);
        expectRefusal(await api.send(path, large), 413, 'PAYLOAD_TOO_LARGE', []);
        expectRefusal(
          await api.send(path, gzipSync(large), { headers: { 'Content-Encoding': 'gzip' } }),
          413,
          'PAYLOAD_TOO_LARGE',
        );
        for (const headers of [{ 'Content-Type': 'text/csv' }, { 'Content-Encoding': 'zstd' }])
          expectRefusal(await api.send(path, body(), { headers }), 415, 'UNSUPPORTED_MEDIA_TYPE', []);
      });

      it('answers 429 past the rate of the key, requests and events', async () => {
        for (const rates of [{ requestsPerSecond: 1 }, { eventsPerSecond: 1 }]) {
          const { apiKey } = await createApiKey(api.postgres, { vendor: 'hasty', networkId: 1, ...rates });
          const send = sender(api.baseUrl, apiKey);
          const replies = await Promise.all(Array.from({ length: 6 }, () => send(path, body())));
          const [good, refused] = [202, 429].map((status) => replies.filter((reply) => reply.status === status));
          expect(good?.length).to.be.within(2, 3);
          expect(refused).to.have.length(6 - good!.length);
          for (const reply of refused!) {
            expectRefusal(reply, 429, 'RATE_LIMITED', []);
            expect(reply.headers.get('retry-after')).to.equal('1');
            expect(reply.headers.get('ratelimit')).to.match(/;r=0;/);
          }
        }
      });

      it('never answers 500, whatever it is sent', () =>
        fc.assert(
          fc.asyncProperty(
            fc.oneof(
              fc.jsonValue(),
              fc.jsonValue().map((value) => ({ ...beside, [list]: value })),
              fc.array(fc.jsonValue(), { maxLength: 5 }).map((items) => ({ ...beside, [list]: items })),
              fc
                .tuple(fc.constantFrom(...Object.keys(item())), fc.jsonValue())
                .map(([field, value]) => body(item({ [field]: value }))),
            ),
            async (sent) => {
              const reply = await api.send(path, JSON.stringify(sent));
              expect(reply.status).to.be.oneOf([202, 400]);
              if (reply.status === 400) expectRefusal(reply, 400, reply.body.error!.code);
            },
          ),
          { numRuns: 60 },
        ));
    });

  // Nested, so that it comes after the others.
  describe('while the event store is down', () => {
    it('answer 503, and afterwards have all that was acknowledged and take the rest in', async () => {
      const lengths = () =>
        Promise.all(doors.map(async ({ kind }) => (await api.events(intakeStream(kind, 1, 'acme', now))).length));
      const before = await lengths();
      await api.node.kill9();
      const requests = doors.map(({ path, list, item, beside = {} }) => {
        const body = { ...beside, [list]: [item()] };
        return () => api.send(path, body, keyed('down'));
      });
      for (const request of requests) {
        const reply = await request();
        expectRefusal(reply, 503, 'UNAVAILABLE', []);
        expect(reply.headers.get('retry-after')).to.match(/^\d+$/);
      }
      await api.node.restart();
      expect(await lengths()).to.deep.equal(before);
      for (const request of requests) {
        let reply = await request();
        for (const until = performance.now() + 15_000; reply.status === 503 && performance.now() < until;)
          reply = await request();
        expect(reply.status).to.equal(202);
      }
      expect(await lengths()).to.deep.equal(before.map((length) => length + 1));
    });
  });
});

import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { v5 } from 'uuid';
import { type IntakeKind, intakeStream } from '@popsvc/contracts/events';
import { createApiKey } from '@popsvc/http-kit/auth';
import { waitUntil } from '@popsvc/tools/rig';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { registerPlaces } from './registry.fixture.ts';
import {
  detection,
  detectionPath,
  dynamicPath,
  expectApiError,
  heartbeat,
  heartbeatPath,
  interval,
  intervalPath,
  play,
  popPath,
  type Reply,
  sender,
} from './sender.fixture.ts';
import { addressFor, ingest, jobOf, upload, uploaded, uploadUrlPath } from './upload.fixture.ts';

const now = Date.parse('2026-09-14T12:00:00.000Z');
const keyed = (key: string) => ({ headers: { 'Idempotency-Key': key } });

interface Endpoint {
  readonly path: string;
  readonly kind: IntakeKind;
  readonly list: string;
  readonly item: (over?: Readonly<Record<string, unknown>>) => object;
  readonly extra?: object;
  /** All optional fields as null, and a required one. Absent: items have no fields of the service. */
  readonly nulls?: { readonly optional: object; readonly required: string };
}

const endpoints: readonly Endpoint[] = [
  {
    path: popPath,
    kind: 'pop',
    list: 'events',
    item: (over) => play({ playedAt: '2026-09-14T11:00:00Z', context: { none: null }, ...over }),
    nulls: {
      optional: { siteId: null, startReason: null, impressions: null, device: null },
      required: 'campaignId',
    },
  },
  {
    path: dynamicPath,
    kind: 'dynamicPop',
    list: 'events',
    item: (over) => ({ a: 1, ...over }),
    extra: { schemaVersion: 'v1' },
  },
  {
    path: detectionPath,
    kind: 'detection',
    list: 'detections',
    item: detection,
    nulls: {
      optional: Object.fromEntries(
        'revision feederId cameraId reid gender age ageCategory mood distance population'
          .split(' ')
          .map((name) => [name, null]),
      ),
      required: 'watches',
    },
  },
  {
    path: heartbeatPath,
    kind: 'heartbeat',
    list: 'heartbeats',
    item: heartbeat,
    nulls: { optional: { feederId: null, appCode: null, state: null }, required: 'at' },
  },
  {
    path: intervalPath,
    kind: 'interval',
    list: 'intervals',
    item: interval,
    nulls: { optional: { endedAt: null, lastHeartbeatAt: null, revision: null }, required: 'state' },
  },
];

describe('command-api: every intake endpoint', function () {
  let api: TestCommandApi;
  before(async () => {
    api = await commandApi({ clock: { now: () => now }, rateClock: () => 0 });
    await registerPlaces(api.store);
  });
  after(() => api.close());

  for (const { path, kind, list, item, extra = {}, nulls } of endpoints)
    describe(path, () => {
      const body = (...items: readonly object[]) => ({ ...extra, [list]: items.length > 0 ? items : [item()] });
      const stored = async () => (await api.items(intakeStream(kind, 1, 'acme', now))).length;

      it('responds 202 once the events are stored, compressed or not', async () => {
        const before = await stored();
        const sent = body(item(), item());
        const plain = await api.send(path, sent);
        const packed = await api.send(path, gzipSync(JSON.stringify({ ...sent, [list]: [item()] })), {
          headers: { 'Content-Encoding': 'gzip' },
        });
        expect([plain.status, plain.body.eventCount]).to.deep.equal([202, 2]);
        expect([packed.status, packed.body.eventCount]).to.deep.equal([202, 1]);
        expect(await stored()).to.equal(before + 3);
      });

      it('executes a request with an idempotency key once and repeats the response', async () => {
        const before = await stored();
        const sent = body(item(), item());
        const one = await api.send(path, sent, keyed('twice'));
        const two = await api.send(path, sent, keyed('twice'));
        expect([one.status, one.headers.get('idempotency-replayed')]).to.deep.equal([202, null]);
        expect([two.status, two.headers.get('idempotency-replayed')]).to.deep.equal([202, 'true']);
        expect(two.body).to.deep.equal(one.body);
        expect(await stored()).to.equal(before + 2);
        expectApiError(await api.send(path, body(item(), item(), item()), keyed('twice')), 409, 'CONFLICT');
      });

      if (nulls)
        it('reads null in an optional field as its absence, and requires the others', async () => {
          const sent = item();
          const itemsOf = async () =>
            (await api.items(intakeStream(kind, 1, 'acme', now))).flatMap(
              ({ data }) => (data as Readonly<Record<string, readonly object[]>>)[list] ?? [],
            );
          for (const over of [{}, nulls.optional])
            expect((await api.send(path, body({ ...sent, ...over }))).status).to.equal(202);
          const [absent, withNull] = (await itemsOf()).slice(-2);
          expect(withNull).to.deep.equal(absent);
          const refused = await api.send(path, body({ ...sent, [nulls.required]: null }));
          expectApiError(refused, 400, 'INVALID_EVENT');
          expect(refused.body.error?.details[0]?.path).to.equal(`${list}[0].${nulls.required}`);
        });

      it('stores nothing with validate_only', async () => {
        const before = await stored();
        const query = { query: '?validate_only=true' };
        expect((await api.send(path, body(), query)).status).to.equal(200);
        expectApiError(await api.send(path, { ...extra, [list]: [] }, query), 400, 'INVALID_EVENT', [list]);
        expectApiError(await api.send(path, body(), { query: '?validate=true' }), 400, 'INVALID_PARAM', ['validate']);
        expect(await stored()).to.equal(before);
      });

      it('responds 400 to invalid JSON, 401 to unknown callers, 405, 413 and 415', async () => {
        expectApiError(await api.send(path, '{"'), 400, 'INVALID_REQUEST', []);
        expectApiError(await api.send(path, `{"__proto__":{},"${list}":[]}`), 400, 'INVALID_REQUEST', []);
        expectApiError(await sender(api.baseUrl)(path, body()), 401, 'UNAUTHORIZED');
        for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
          const reply = await api.send(path, body(), { method });
          expectApiError(reply, 405, 'METHOD_NOT_ALLOWED', []);
          expect(reply.headers.get('allow')).to.equal('POST, OPTIONS');
        }
        const large = JSON.stringify(body()) + ' '.repeat(5 * 1_048_576);
        expectApiError(await api.send(path, large), 413, 'PAYLOAD_TOO_LARGE', []);
        expectApiError(
          await api.send(path, gzipSync(large), { headers: { 'Content-Encoding': 'gzip' } }),
          413,
          'PAYLOAD_TOO_LARGE',
        );
        for (const headers of [{ 'Content-Type': 'text/csv' }, { 'Content-Encoding': 'zstd' }])
          expectApiError(await api.send(path, body(), { headers }), 415, 'UNSUPPORTED_MEDIA_TYPE', []);
      });

      it('responds 429 above the rates of the key, for requests and events', async () => {
        for (const rates of [{ requestsPerSecond: 1 }, { eventsPerSecond: 1 }]) {
          const { apiKey } = await createApiKey(api.postgres, { vendor: 'hasty', networkId: 1, ...rates });
          const send = sender(api.baseUrl, apiKey);
          const replies = await Promise.all(Array.from({ length: 6 }, () => send(path, body())));
          const [good, refused] = [202, 429].map((status) => replies.filter((reply) => reply.status === status));
          // Two at once. The clock of the rates does not move.
          expect([good?.length, refused?.length]).to.deep.equal([2, 4]);
          for (const reply of refused!) {
            expectApiError(reply, 429, 'RATE_LIMITED', []);
            expect(reply.headers.get('retry-after')).to.equal('1');
            expect(reply.headers.get('ratelimit')).to.match(/;r=0;/);
          }
        }
      });

      it('never responds 500 to any JSON', () =>
        fc.assert(
          fc.asyncProperty(
            fc.oneof(
              fc.jsonValue(),
              fc.jsonValue().map((value) => ({ ...extra, [list]: value })),
              fc.array(fc.jsonValue(), { maxLength: 5 }).map((items) => ({ ...extra, [list]: items })),
              fc
                .tuple(fc.constantFrom(...Object.keys(item())), fc.jsonValue())
                .map(([field, value]) => body(item({ [field]: value }))),
            ),
            async (sent) => {
              const reply = await api.send(path, JSON.stringify(sent));
              expect(reply.status).to.be.oneOf([202, 400]);
              if (reply.status === 400) expectApiError(reply, 400, reply.body.error!.code);
            },
          ),
          { numRuns: 60 },
        ));
    });

  // Nested, so that it runs after the others.
  describe('while the event store is down', () => {
    it('responds 503, then keeps everything acknowledged and accepts the rest', async () => {
      const lengths = () =>
        Promise.all(endpoints.map(async ({ kind }) => (await api.items(intakeStream(kind, 1, 'acme', now))).length));
      const before = await lengths();
      const [empty, full] = [await addressFor(api.send), await uploaded(api.send)];
      const bulk: readonly (readonly [() => Promise<Pick<Reply, 'status' | 'body'>>, number])[] = [
        [() => api.send(uploadUrlPath, { fileName: 'plays.csv', format: 'csv' }), 200],
        [() => upload(empty.uploadUrl), 200],
        [() => ingest(api.send, full.fileId), 202],
        [() => jobOf(api.send, v5('bulk-job', full.fileId)), 200],
      ];
      await api.node.kill9();
      const requests = endpoints.map(({ path, list, item, extra = {} }) => {
        const body = { ...extra, [list]: [item()] };
        return () => api.send(path, body, keyed('down'));
      });
      for (const request of requests) {
        const reply = await request();
        expectApiError(reply, 503, 'UNAVAILABLE', []);
        expect(reply.headers.get('retry-after')).to.match(/^\d+$/);
      }
      for (const [request] of bulk) {
        const { status, body } = await request();
        expect([status, body.error?.code]).to.deep.equal([503, 'UNAVAILABLE']);
      }
      await api.node.restart();
      expect(await lengths()).to.deep.equal(before);
      for (const request of requests) {
        const reply = await waitUntil(request, ({ status }) => status !== 503);
        expect(reply.status).to.equal(202);
      }
      expect(await lengths()).to.deep.equal(before.map((length) => length + 1));
      for (const [request, expected] of bulk) {
        const { status } = await waitUntil(request, (reply) => reply.status !== 503);
        expect(status).to.equal(expected);
      }
      const uploads = (await api.events(`upload-${empty.fileId}`)).map(({ type }) => type);
      expect(uploads).to.deep.equal(['UploadRequested', 'UploadReceived']);
    });
  });
});

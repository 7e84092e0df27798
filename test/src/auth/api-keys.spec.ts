import {
  createApiKeyVerifier,
  createApiKey,
  startRevocationWatch,
  generateApiKey,
  type RevocationWatch,
} from '@popsvc/http-kit/auth';
import {
  listApiKeys,
  migrate,
  openPostgres,
  type Queryable,
  type Postgres,
  revokeApiKey,
} from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { expect } from 'chai';
import fc from 'fast-check';
import sinon from 'sinon';
import { sharedPostgres } from '../support/engines.ts';

const log = createLog('test', 'silent');
const standard = { requestsPerSecond: 2_000, eventsPerSecond: 100_000 };
const down = Object.assign(new Error('connect ECONNREFUSED'), { syscall: 'connect', code: 'ECONNREFUSED' });

describe('API keys', () => {
  let postgres: Postgres;
  before(async () => {
    const url = await (
      await sharedPostgres()
    ).freshDatabase(async (template) => {
      const pool = openPostgres({ url: template, log, name: 'test' });
      await migrate(pool);
      await pool.end();
    });
    postgres = openPostgres({ url, log, name: 'test' });
  });
  after(() => postgres.end());

  it('are created, listed and revoked; the key itself is returned once and not stored', async () => {
    const expiresAt = new Date('2030-01-01T00:00:00Z');
    const { apiKey, record } = await createApiKey(postgres, {
      vendor: 'acme',
      networkId: 2 ** 53 - 1,
      name: 'player',
      expiresAt,
    });
    expect(record).to.deep.include({
      vendor: 'acme',
      networkId: 2 ** 53 - 1,
      name: 'player',
      expiresAt,
      revokedAt: null,
    });
    expect(apiKey.startsWith(record.prefix)).to.equal(true);
    expect(record.prefix).to.have.length('acme_sk_'.length + 4);
    expect((await listApiKeys(postgres)).at(-1)).to.deep.equal(record);
    const revoked = await revokeApiKey(postgres, record.id);
    expect(revoked?.revokedAt).to.be.instanceOf(Date);
    expect((await revokeApiKey(postgres, record.id))?.revokedAt).to.deep.equal(revoked?.revokedAt);
    expect(await revokeApiKey(postgres, 'no-such-id')).to.equal(undefined);
  });

  it('have at least 160 random bits and a checksum that detects any changed character', async () => {
    const watch = await startRevocationWatch(postgres, { log });
    const failing = { query: sinon.fake.rejects(new Error('unexpected query')) } as unknown as Queryable;
    const verifier = createApiKeyVerifier(failing, watch);
    await fc.assert(
      fc.asyncProperty(fc.nat(29), fc.integer({ min: 1, max: 61 }), async (at, by) => {
        const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
        const key = generateApiKey('acme');
        expect(key).to.match(/^acme_sk_[0-9A-Za-z]{36}$/);
        const index = 8 + at;
        const changed = alphabet[(alphabet.indexOf(key[index]!) + by) % 62]!;
        expect(await verifier.verify(key.slice(0, index) + changed + key.slice(index + 1))).to.equal(undefined);
      }),
      { numRuns: 200 },
    );
    watch.stop();
    expect(30 * Math.log2(62)).to.be.greaterThan(160);
  });

  describe('verification', () => {
    let watch: RevocationWatch;
    let away = false;
    let questions = 0;
    let clock: sinon.SinonFakeTimers;
    const between = {
      query: (...given: unknown[]) => {
        questions++;
        return away ? Promise.reject(down) : (postgres.query as (...all: unknown[]) => unknown)(...given);
      },
    } as unknown as Queryable;
    beforeEach(async () => {
      [away, questions] = [false, 0];
      watch = await startRevocationWatch(between, { log, intervalMs: 100 });
      clock = sinon.useFakeTimers({ now: Date.now(), toFake: ['performance'] });
    });
    afterEach(() => {
      clock.restore();
      watch.stop();
    });

    const refusal = (work: Promise<unknown>) =>
      work.then(
        () => 'verified',
        (error: unknown) => (error as { code?: string }).code,
      );

    it('is cached, so that most requests need no query, and is repeated after 30 s', async () => {
      const verifier = createApiKeyVerifier(between, watch);
      const { apiKey, record } = await createApiKey(postgres, { vendor: 'acme', networkId: 1 });
      const due = { kind: 'api-key', keyId: record.id, network: 1, vendor: 'acme', rates: standard };
      expect(await verifier.verify(apiKey)).to.deep.equal(due);
      watch.stop();
      const before = questions;
      for (let round = 0; round < 50; round++) expect(await verifier.verify(apiKey)).to.deep.equal(due);
      expect(questions).to.equal(before);
      clock.tick(31_000);
      await verifier.verify(apiKey);
      expect(questions).to.equal(before + 1);
    });

    it('uses cached keys for 60 s while PostgreSQL is unavailable, then responds 503; keys that are not cached get 503 at once', async () => {
      const verifier = createApiKeyVerifier(between, watch);
      const { apiKey } = await createApiKey(postgres, { vendor: 'acme', networkId: 1 });
      const { apiKey: other } = await createApiKey(postgres, { vendor: 'acme', networkId: 1 });
      await verifier.verify(apiKey);
      away = true;
      for (const ms of [1_000, 30_000, 28_000]) {
        clock.tick(ms);
        expect(await refusal(verifier.verify(apiKey))).to.equal('verified');
      }
      expect(await refusal(verifier.verify(other))).to.equal('UNAVAILABLE');
      clock.tick(1_001);
      expect(await refusal(verifier.verify(apiKey))).to.equal('UNAVAILABLE');
      away = false;
      expect(await refusal(verifier.verify(apiKey))).to.equal('verified');
    });

    it('forgets a revoked key, even if its lookup was running meanwhile', async () => {
      let hold: Promise<void> | undefined;
      let letGo: () => void = () => undefined;
      const slow = {
        query: async (...given: unknown[]) => {
          const result: unknown = await (postgres.query as (...all: unknown[]) => Promise<unknown>)(...given);
          await hold;
          return result;
        },
      } as unknown as Queryable;
      const verifier = createApiKeyVerifier(slow, watch);
      const { apiKey, record } = await createApiKey(postgres, { vendor: 'acme', networkId: 1 });
      hold = new Promise((resolve) => (letGo = resolve));
      const pending = verifier.verify(apiKey);
      const epoch = watch.epoch();
      await new Promise((resolve) => setTimeout(resolve, 100));
      await revokeApiKey(postgres, record.id);
      while (watch.epoch() === epoch) await new Promise((resolve) => setTimeout(resolve, 20));
      letGo();
      hold = undefined;
      await pending;
      expect(await verifier.verify(apiKey)).to.equal(undefined);
    });
  });
});

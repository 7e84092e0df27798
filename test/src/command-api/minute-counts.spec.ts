import { createMinuteCounts } from '@popsvc/command-api/intake';
import { withRowMinuteCounts, createWorkerMetrics } from '@popsvc/command-api/worker';
import { createCommandApi } from '@popsvc/command-api/service';
import { createApiKeyVerifier, createAuthenticator, startRevocationWatch } from '@popsvc/platform/auth';
import { type IntakeMinute, readIntakeMinutes } from '@popsvc/platform/postgres';
import { createLog, createMetrics } from '@popsvc/platform/telemetry';
import { expect } from 'chai';
import { serving, type Serving } from '../support/serving.ts';
import { smallRegistry } from '../support/small-registry.ts';
import { testUploads } from '../support/uploads.ts';

const log = createLog('test', 'silent');
const minuteMs = 60_000;

describe('figures of what comes in', () => {
  const written = () => {
    const all: (readonly IntakeMinute[])[] = [];
    return { all, to: (figures: readonly IntakeMinute[]) => Promise.resolve(void all.push(figures)) };
  };
  const short = (figures: readonly IntakeMinute[] | undefined) =>
    figures?.map(({ minuteMs: minute, outcome, events, requests }) => [minute / minuteMs, outcome, events, requests]);

  it('are counted by the minute, told again while it runs, also when nothing came', async () => {
    let now = 5 * minuteMs;
    const minutes = createMinuteCounts({ now: () => now });
    const { all, to } = written();
    await minutes.write(to);
    minutes.countAccepted(10);
    minutes.countAccepted(5);
    minutes.countRefused('INVALID_EVENT', 3);
    await minutes.write(to);
    now = 6 * minuteMs;
    minutes.countAccepted(1);
    await minutes.write(to);
    await minutes.write(to);
    expect(all.map(short)).to.deep.equal([
      [[5, 'accepted', 0, 0]],
      [
        [5, 'accepted', 15, 2],
        [5, 'INVALID_EVENT', 3, 1],
      ],
      [
        [5, 'accepted', 15, 2],
        [5, 'INVALID_EVENT', 3, 1],
        [6, 'accepted', 1, 1],
      ],
      [[6, 'accepted', 1, 1]],
    ]);
  });

  it('of rows of bulk files have names of their own', async () => {
    const minutes = createMinuteCounts({ now: () => 7 * minuteMs }, 'bulk_accepted');
    const metrics = withRowMinuteCounts(createWorkerMetrics(createMetrics('test')), minutes);
    metrics.countRows(10, 2);
    metrics.countRows(0, 1);
    const { all, to } = written();
    await minutes.write(to);
    expect(short(all[0])).to.deep.equal([
      [7, 'bulk_accepted', 10, 1],
      [7, 'bulk_refused', 3, 2],
    ]);
  });

  it('wait for PostgreSQL, an hour of them at most', async () => {
    let now = 0;
    const minutes = createMinuteCounts({ now: () => now });
    for (let minute = 0; minute < 100; minute++) {
      now = minute * minuteMs;
      minutes.countAccepted(1);
      await minutes.write(() => Promise.reject(new Error('away'))).catch(() => undefined);
    }
    const { all, to } = written();
    await minutes.write(to);
    expect(short(all[0])?.map(([minute]) => minute)).to.deep.equal(Array.from({ length: 60 }, (_, n) => n + 40));
  });

  describe('over HTTP', function () {
    this.timeout(60_000);
    let house: Serving;
    before(async () => {
      house = await serving();
      await house.register(smallRegistry);
    });
    after(() => house.close());

    it('are events accepted and refused, with the reason, written at the end at the latest', async () => {
      const watch = await startRevocationWatch(house.postgres, { log });
      const api = createCommandApi({
        store: house.store,
        postgres: house.postgres,
        authenticate: createAuthenticator({ apiKeys: createApiKeyVerifier(house.postgres, watch) }),
        log,
        metrics: createMetrics('test'),
        queryApiUrl: house.queryUrl,
        ...(await testUploads()),
      });
      const url = `http://127.0.0.1:${await api.listen({ port: 0, host: '127.0.0.1' })}/popsvc/v1/heartbeats`;
      const key = await house.apiKey();
      const push = (heartbeats: unknown[], apiKey = key, query = '') =>
        fetch(url + query, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
          body: JSON.stringify({ heartbeats }),
        });
      const beat = { deviceId: 4, at: new Date().toISOString() };
      const statuses = [
        (await push([beat, beat])).status,
        (await push([beat])).status,
        (await push([beat, {}, {}])).status,
        (await push([])).status,
        (await push([beat], 'acme_sk_wrong')).status,
        (await push([{}], key, '?validate_only=true')).status,
        (await push([beat], key, '?validate_only=true')).status,
        (await fetch(url.replace('heartbeats', 'nothing'))).status,
      ];
      expect(statuses).to.deep.equal([202, 202, 400, 400, 401, 400, 200, 404]);
      await api.close();
      watch.stop();
      const sums: Record<string, number[]> = {};
      for (const { outcome, events, requests } of await readIntakeMinutes(house.postgres, 0, Date.now() + minuteMs)) {
        const [e = 0, r = 0] = sums[outcome] ?? [];
        sums[outcome] = [e + events, r + requests];
      }
      expect(sums).to.deep.equal({ accepted: [3, 2], INVALID_EVENT: [4, 2], UNAUTHORIZED: [1, 1] });
    });
  });
});

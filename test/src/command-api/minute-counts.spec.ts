import { createMinuteCounts } from '@popsvc/command-api/intake';
import { withRowMinuteCounts, createWorkerMetrics } from '@popsvc/command-api/worker';
import { createCommandApi } from '@popsvc/command-api/service';
import { createApiKeyVerifier, createAuthenticator, startRevocationWatch } from '@popsvc/http-kit/auth';
import { type IntakeMinute, readIntakeMinutes, readRefusals } from '@popsvc/platform/postgres';
import { createLog, createMetrics } from '@popsvc/platform/telemetry';
import { expect } from 'chai';
import { generousIntake } from '../support/generous-intake.ts';
import { startTestServices, type TestServices } from '../support/test-services.ts';
import { smallRegistry } from '../support/small-registry.ts';
import { testUploads } from '../support/uploads.ts';

const log = createLog('test', 'silent');
const minuteMs = 60_000;

describe('intake counts by minute', () => {
  const written = () => {
    const all: (readonly IntakeMinute[])[] = [];
    return { all, to: (saved: readonly IntakeMinute[]) => Promise.resolve(void all.push(saved)) };
  };
  const short = (saved: readonly IntakeMinute[] | undefined) =>
    saved?.map(({ minuteMs: minute, outcome, events, requests }) => [minute / minuteMs, outcome, events, requests]);

  it('are written repeatedly while their minute runs, also without events', async () => {
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

  it('have outcomes of their own for rows of bulk files', async () => {
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

  it('wait for PostgreSQL, at most an hour of them', async () => {
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
    let service: TestServices;
    before(async () => {
      service = await startTestServices();
      await service.register(smallRegistry);
    });
    after(() => service.close());

    it('count accepted and rejected events with the error code, and are written on close', async () => {
      const watch = await startRevocationWatch(service.postgres, { log });
      const api = createCommandApi({
        store: service.store,
        postgres: service.postgres,
        postgresOfCredentials: service.postgres,
        authenticate: createAuthenticator({ apiKeys: createApiKeyVerifier(service.postgres, watch) }),
        log,
        metrics: createMetrics('test'),
        queryApiUrl: service.queryUrl,
        ...(await testUploads()),
        ...generousIntake,
      });
      const url = `http://127.0.0.1:${await api.listen({ port: 0, host: '127.0.0.1' })}/popsvc/v1/heartbeats`;
      const key = await service.apiKey();
      const push = (heartbeats: unknown[], apiKey = key, query = '') =>
        fetch(url + query, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
          body: JSON.stringify({ heartbeats }),
        });
      const heartbeat = { deviceId: 4, at: new Date().toISOString() };
      const statuses = [
        (await push([heartbeat, heartbeat])).status,
        (await push([heartbeat])).status,
        (await push([heartbeat, {}, {}])).status,
        (await push([])).status,
        (await push([heartbeat], 'acme_sk_wrong')).status,
        (await push([{}], key, '?validate_only=true')).status,
        (await push([heartbeat], key, '?validate_only=true')).status,
        (await fetch(url.replace('heartbeats', 'nothing'))).status,
      ];
      expect(statuses).to.deep.equal([202, 202, 400, 400, 401, 400, 200, 404]);
      await api.close();
      watch.stop();
      const sums: Record<string, number[]> = {};
      for (const { outcome, events, requests } of await readIntakeMinutes(service.postgres, 0, Date.now() + minuteMs)) {
        const [e = 0, r = 0] = sums[outcome] ?? [];
        sums[outcome] = [e + events, r + requests];
      }
      expect(sums).to.deep.equal({ accepted: [3, 2], INVALID_EVENT: [4, 2], UNAUTHORIZED: [1, 1] });
      const refusals = await readRefusals(service.postgres, { fromMs: 0, limit: 10 });
      expect(refusals).to.have.length(1);
      expect(refusals[0]).to.include({ network: 1, vendor: 'acme', code: 'INVALID_EVENT', requests: 2, events: 4 });
      expect(refusals[0]?.latestReason).to.match(/^heartbeats: \S/);
    });
  });
});

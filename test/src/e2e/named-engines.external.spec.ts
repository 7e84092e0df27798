import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPopsvcCommand, createTestPartner, waitUntil, type Service, startService } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { databaseOnNamedPostgres, type NamedDatabase, databaseOnNamedClickHouse } from '../support/named-engines.ts';
import { chooseRounds } from '../support/rounds.ts';
import { smallRegistry } from '../support/small-registry.ts';
import { encryptionKey } from '../support/test-sealer.ts';

const operatorToken = 'an-operator-token-of-some-length';
const named = ['EVENTSTORE_URL', 'CLICKHOUSE_URL', 'DATABASE_URL', 'NATS_URL'].filter((name) => process.env[name]);
const rounds = chooseRounds(5, 50);
const perRequest = 5;
const startMs = Date.parse('2026-09-01T00:00:00Z');

/** A registry whose ids no other run uses, because the event store keeps the registries of earlier runs. */
const registryOfThisRun = (base: number): unknown =>
  JSON.parse(JSON.stringify(smallRegistry), (key, value: unknown) =>
    typeof value === 'number' && key !== 'duration_ms' ? base + value : value,
  );

/**
 * Acceptance and kill rounds on the engines that the environment names; `npm run test:external` runs them. The service gets a new
 * database on a named ClickHouse and PostgreSQL; an engine that is not named is embedded.
 */
describe(`the service on ${named.join(', ')}`, function () {
  this.timeout(1_800_000);
  const databases: NamedDatabase[] = [];
  const env: Record<string, string> = {
    POPSVC_OPERATOR_TOKEN: operatorToken,
    POPSVC_ENCRYPTION_KEY: encryptionKey,
  };
  const base = randomInt(1_000, 2_000_000) * 1_000;
  let service: Service;
  let apiKey: string;

  before(async () => {
    if (process.env['CLICKHOUSE_URL']) databases.push(await databaseOnNamedClickHouse());
    if (process.env['DATABASE_URL']) databases.push(await databaseOnNamedPostgres());
    Object.assign(env, ...databases.map(({ variables }) => variables));
    service = await startService({ env });
    const popsvc = async (path: string, body: unknown) => {
      const answer = await fetch(`${service.endpoints.ops_base_url}/ops/v1/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect(answer.status, await answer.clone().text()).to.be.within(200, 201);
      return (await answer.json()) as Record<string, string>;
    };
    await popsvc('registry', registryOfThisRun(base));
    apiKey = (await popsvc('api-keys', { network: base + 1, vendor: 'acme' }))['api_key']!;
    const partner = createTestPartner({ ...service.endpoints, api_key: apiKey });
    await waitUntil(
      () => partner.read('/metric-definitions').then(({ status }) => status),
      (status) => status === 200,
    );
  });
  after(async () => {
    await service.stop();
    for (const database of databases) await database.drop();
  });

  const play = (number: number) => ({
    eventId: `x-${number}`,
    screenId: 'screen-1',
    campaignId: 'C-100',
    creativeId: 'CR-1',
    playedAt: new Date(startMs + number * 250).toISOString(),
    durationMs: 200,
  });

  const readIds = async (): Promise<readonly string[]> => {
    const { client } = createTestPartner({ ...service.endpoints, api_key: apiKey });
    const ids: string[] = [];
    const period = { from: new Date(startMs), to: new Date(startMs + 86_400_000) };
    for await (const row of client.coffee(period)) ids.push(row.EVENT_ID);
    return ids;
  };

  it('uses the named engines and reports every check of doctor as passed', async () => {
    const { event_store, clickhouse, postgres } = service.endpoints;
    const isExternal = (variable: string) => (process.env[variable] ? 'external' : undefined);
    for (const [address, variable] of [
      [event_store, 'EVENTSTORE_URL'],
      [clickhouse, 'CLICKHOUSE_URL'],
      [postgres, 'DATABASE_URL'],
    ] as const)
      if (isExternal(variable)) expect(address, variable).to.equal('external');
    const doctor = createPopsvcCommand({ DATA_DIR: service.dataDir, POPSVC_OPERATOR_TOKEN: operatorToken });
    const { stdout } = await doctor('doctor', '--json');
    const { findings } = JSON.parse(stdout) as { findings: readonly { outcome: string }[] };
    expect(findings.filter(({ outcome }) => outcome === 'failed')).to.deep.equal([]);
  });

  it('reports a play once that was sent twenty times at the same time', async () => {
    const { push } = createTestPartner({ ...service.endpoints, api_key: apiKey });
    const answers = await Promise.all(Array.from({ length: 20 }, () => push('/pop/events', { events: [play(0)] })));
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([202]));
    expect(await waitUntil(readIds, (ids) => ids.length > 0)).to.deep.equal(['x-0']);
  });

  it(`leaves every event acknowledged during ${rounds} kills of the service in the report once`, async () => {
    const acknowledged = new Set<string>();
    const sentIds = new Set<string>(['x-0']);
    let sent = 0;
    for (let round = 0; round < rounds; round += 1) {
      let isDead = false;
      const { push } = createTestPartner({ ...service.endpoints, api_key: apiKey });
      const pushUntilDead = async () => {
        while (!isDead) {
          const events = Array.from({ length: perRequest }, () => play((sent += 1)));
          for (const { eventId } of events) sentIds.add(eventId);
          const status = await push('/pop/events', { events }).then(
            (answer) => answer.status,
            () => 0,
          );
          if (status === 202) for (const { eventId } of events) acknowledged.add(eventId);
        }
      };
      const pushers = Array.from({ length: 4 }, pushUntilDead);
      await sleep(randomInt(300, 1_800));
      await service.kill9();
      isDead = true;
      await Promise.all(pushers);
      service = await startService({ dataDir: service.dataDir, env });
    }
    expect(acknowledged.size).to.be.greaterThan(rounds * perRequest);
    const seen = await waitUntil(readIds, (ids) => [...acknowledged].every((id) => ids.includes(id)), 120_000);
    expect(new Set(seen).size, 'no event twice').to.equal(seen.length);
    expect(
      seen.filter((id) => !sentIds.has(id)),
      'no unknown event',
    ).to.deep.equal([]);
  });
});

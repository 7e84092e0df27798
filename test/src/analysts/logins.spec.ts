import { createAnalystLogins, syncGrants } from '@popsvc/ops-api/analysts';
import { ensureAnalystViews } from '@popsvc/read-models/generations';
import { allProjections } from '@popsvc/projectors/projections';
import { createLog } from '@popsvc/platform/telemetry';
import { expect } from 'chai';
import type { Popsvc } from '@popsvc/tools/rig';
import { popsvcFor, runJson } from '../cli/popsvc.fixture.ts';
import { queryClickHouse } from '../support/engines.ts';
import { operatorToken, startTestServices, type TestServices } from '../support/test-services.ts';
import { smallRegistry } from '../support/small-registry.ts';

interface AnalystResponse {
  readonly user: string;
  readonly name: string;
  readonly password: string;
  readonly network_ids: readonly number[] | null;
  readonly url: string;
  readonly database: string;
  readonly can_log_in: boolean;
  readonly why: string | null;
  readonly statements: readonly string[];
  readonly revoked_at: string | null;
}

describe('popsvc analysts', function () {
  let system: TestServices;
  let popsvc: Popsvc;
  before(async () => {
    system = await startTestServices();
    await ops('POST', '/registry', smallRegistry);
    // The projectors create the views when they start.
    await ensureAnalystViews(
      system.writer,
      allProjections.map((projection) => ({ projection, generation: 1 })),
    );
    await syncGrants(system.writer, system.postgres);
    popsvc = popsvcFor({ baseUrl: system.opsUrl });
  });
  after(() => system.close());

  const ops = (method: string, path: string, body?: object) =>
    fetch(`${system.opsUrl}/ops/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  const json = <T>(...args: string[]) => runJson<T>(popsvc, 'analysts', ...args);
  const grants = () =>
    system.writer.rows<{ user: string; every_network: number; networks: string[] }>(
      'SELECT user, every_network, arrayMap(n -> toString(n), networks) AS networks FROM analyst_grants_g1 FINAL ORDER BY user',
    );

  it('creates a login, shows its password once, lists it, and revokes it at once', async () => {
    const made = await json<AnalystResponse>('create', '--name', 'anna', '--networks', '1');
    expect(made).to.include({ user: 'anna', can_log_in: true, why: null });
    expect(made.database).to.equal(`analysts_${system.writer.database}`);
    expect(made.network_ids).to.deep.equal([1]);
    expect(made.password).to.match(/^Pa[\w-]{32}$/);
    expect(made.statements.join()).not.to.contain(made.password);
    expect(await grants()).to.deep.include({ user: 'anna', every_network: 0, networks: ['1'] });
    const list = await popsvc('analysts', 'list');
    expect(list.stdout)
      .to.match(/^NAME +NETWORK_IDS +CAN_LOG_IN/)
      .and.not.to.contain(made.password);
    const revoked = await json<AnalystResponse>('revoke', 'anna');
    expect(revoked.revoked_at).to.be.a('string');
    expect(revoked.can_log_in).to.equal(false);
    expect(await grants()).to.deep.include({ user: 'anna', every_network: 0, networks: [] });
    expect((await queryClickHouse(made.url, { username: 'anna', password: made.password }, 'SELECT 1')).ok).to.equal(
      false,
    );
  });

  it('prints the access data of an analyst, and the SQL statements for an administrator', async () => {
    const { stdout } = await popsvc('analysts', 'create', '--name', 'bert', '--networks', 'all', '--print-sql');
    expect(stdout)
      .to.match(/^user {6}bert\npassword {2}Pa/)
      .and.to.contain('networks  all');
    expect(stdout).to.match(/curl -s -u 'bert:Pa[^']+' 'http:\/\/127\.0\.0\.1:\d+\/\?database=analysts_/);
    expect(stdout).to.match(/CREATE USER bert IDENTIFIED WITH sha256_hash BY '[0-9a-f]{64}';/);
    const plain = await popsvc('analysts', 'create', '--name', 'carl', '--networks', '1');
    expect(plain.stdout).to.contain('To try it:').and.not.to.contain('CREATE USER');
    expect(await grants()).to.deep.include({ user: 'bert', every_network: 1, networks: [] });
  });

  it('rejects names that are taken, reserved or invalid, and unknown networks', async () => {
    for (const [name, networks, status, text] of [
      ['anna', [1], 409, 'was used before'],
      ['popsvc_x', [1], 400, 'is kept for the service'],
      ['default', 'all', 400, 'is kept for the service'],
      ['a; DROP USER x', [1], 400, 'lower case letters'],
      ['dora', [9], 400, 'there is no network 9'],
      ['dora', [], 400, 'networks'],
      ['dora', 'every', 400, 'networks'],
    ] as const) {
      const response = await ops('POST', '/analysts', { name, networks });
      expect([response.status, await response.text()].join(' ')).to.match(new RegExp(`^${status} .*${text}`));
    }
    expect((await ops('DELETE', '/analysts/unknown')).status).to.equal(404);
    const ran = await popsvc('analysts', 'create', '--name', 'dora', '--networks', 'x');
    expect([ran.code, ran.stdout]).to.deep.equal([2, '']);
    const all = (await (await ops('GET', '/analysts')).json()) as AnalystResponse[];
    expect(all.map(({ name }) => name)).to.deep.equal(['anna', 'bert', 'carl']);
  });

  it('shows the password of a created analyst even if ClickHouse rejects the grants', async () => {
    await system.writer.run('RENAME TABLE analyst_grants_g1 TO elsewhere');
    const response = await ops('POST', '/analysts', { name: 'dave', networks: [1] });
    await system.writer.run('RENAME TABLE elsewhere TO analyst_grants_g1');
    expect(response.status).to.equal(201);
    const made = (await response.json()) as AnalystResponse;
    expect(made).to.include({ user: 'dave', can_log_in: false });
    expect(made.password).to.match(/^Pa[\w-]{32}$/);
    expect(made.why).to.include('synchronized again');
    await syncGrants(system.writer, system.postgres);
    expect(await grants()).to.deep.include({ user: 'dave', every_network: 0, networks: ['1'] });
  });

  it('does not know which logins exist while ClickHouse does not answer', async () => {
    const fail = () => Promise.reject(new Error('connect ECONNREFUSED'));
    const { postgres, writer } = system;
    const logins = createAnalystLogins([{ ...writer, rows: fail, run: fail }], {
      postgres,
      log: createLog('test', 'silent'),
    });
    expect(await logins.readUsers()).to.equal(undefined);
    expect(await logins.revoke('anna'), 'may still log in').to.deep.equal({
      canLogIn: true,
      why: 'connect ECONNREFUSED',
    });
  });

  it('restores the grants of PostgreSQL after either store lost its data', async () => {
    const before = await grants();
    await system.writer.run('TRUNCATE TABLE analyst_grants_g1');
    await syncGrants(system.writer, system.postgres);
    expect(await grants()).to.deep.equal(before);
    await system.writer.run(
      `INSERT INTO analyst_grants_g1 (user, every_network, networks, version) VALUES ('carl', 1, [], 1000), ('eve', 1, [], 1000)`,
    );
    await syncGrants(system.writer, system.postgres);
    expect(await grants()).to.deep.equal([
      ...before.filter(({ user }) => user <= 'carl'),
      ...before.filter(({ user }) => user > 'carl'),
      { user: 'eve', every_network: 0, networks: [] },
    ]);
  });
});

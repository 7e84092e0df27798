import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { askClickHouse } from '../support/engines.ts';
import { type Service, startService } from '../support/service.ts';

const ask = ({ endpoints: { analysts } }: Service, username: string, password: string, sql: string) =>
  askClickHouse(`${analysts}/?database=analysts_popsvc`, { username, password }, sql);

const ops = async ({ endpoints, credentials }: Service, method: string, path: string, body?: object) => {
  const answer = await fetch(`${endpoints.ops_base_url}/ops/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${credentials.operator_token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await answer.json()) as { readonly password: string; readonly url: string; readonly can_log_in: boolean };
};

describe('analysts of a service on embedded engines', function () {
  this.timeout(120_000);
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  it('ask after the next start, and see nothing from the moment they are revoked', async () => {
    const { clickhouseAnalyst } = JSON.parse(await readFile(join(service.dataDir, 'secrets.json'), 'utf8')) as {
      readonly clickhouseAnalyst: string;
    };
    const sql = 'SELECT network FROM networks';
    expect(await ask(service, 'analyst', clickhouseAnalyst, sql)).to.deep.equal({ ok: true, text: 'Demo network' });
    const made = await ops(service, 'POST', '/analysts', { name: 'anna', networks: [1] });
    expect([made.can_log_in, made.url]).to.deep.equal([false, service.endpoints.analysts]);
    expect((await ask(service, 'anna', made.password, sql)).ok).to.equal(false);

    await service.stop();
    service = await startService({ dataDir: service.dataDir });
    expect(await ask(service, 'anna', made.password, sql)).to.deep.equal({ ok: true, text: 'Demo network' });
    const revoked = await ops(service, 'DELETE', '/analysts/anna');
    expect(await ask(service, 'anna', made.password, sql)).to.deep.equal({ ok: true, text: '' });
    expect(revoked.can_log_in, 'until the next start').to.equal(true);
  });
});

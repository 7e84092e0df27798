import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { queryClickHouse } from '../support/engines.ts';
import type { Service } from '@popsvc/tools/rig';

interface Login {
  readonly password: string;
  readonly url: string;
  readonly can_log_in: boolean;
}

const sql = 'SELECT network FROM networks';

const runQuery = ({ endpoints: { analysts } }: Service, username: string, password: string) =>
  queryClickHouse(`${analysts}/?database=analysts_popsvc`, { username, password }, sql);

const ops = async ({ endpoints, credentials }: Service, method: string, path: string, body?: object) => {
  const answer = await fetch(`${endpoints.ops_base_url}/ops/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${credentials.operator_token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await answer.json()) as Login;
};

/** Tests of analysts on embedded engines: logins work and end at once, and continue to work after a restart. */
export const analystTests = (running: () => Service) => {
  let created: Login;
  return {
    beforeRestart: () =>
      it('accepts queries of the built-in analyst, and of a new one until it is revoked', async () => {
        const service = running();
        const { clickhouseAnalyst } = JSON.parse(await readFile(join(service.dataDir, 'secrets.json'), 'utf8')) as {
          readonly clickhouseAnalyst: string;
        };
        expect(await runQuery(service, 'analyst', clickhouseAnalyst)).to.deep.equal({ ok: true, text: 'Demo network' });
        created = await ops(service, 'POST', '/analysts', { name: 'berta', networks: [1] });
        expect([created.can_log_in, created.url]).to.deep.equal([true, service.endpoints.analysts]);
        expect(await runQuery(service, 'berta', created.password)).to.deep.equal({ ok: true, text: 'Demo network' });
        expect((await runQuery(service, 'berta', clickhouseAnalyst)).text).to.match(/AUTHENTICATION_FAILED/);
        const other = await ops(service, 'POST', '/analysts', { name: 'carla', networks: 'all' });
        expect((await runQuery(service, 'carla', other.password)).ok).to.equal(true);
        const revoked = await ops(service, 'DELETE', '/analysts/carla');
        expect(revoked.can_log_in).to.equal(false);
        expect((await runQuery(service, 'carla', other.password)).text).to.match(/AUTHENTICATION_FAILED/);
      }),
    afterRestart: () =>
      it('accepts queries of an analyst created before the restart', async () => {
        expect(await runQuery(running(), 'berta', created.password)).to.deep.equal({ ok: true, text: 'Demo network' });
      }),
  };
};

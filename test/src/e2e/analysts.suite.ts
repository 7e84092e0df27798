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

const ask = ({ endpoints: { analysts } }: Service, username: string, password: string) =>
  queryClickHouse(`${analysts}/?database=analysts_popsvc`, { username, password }, sql);

const ops = async ({ endpoints, credentials }: Service, method: string, path: string, body?: object) => {
  const answer = await fetch(`${endpoints.ops_base_url}/ops/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${credentials.operator_token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await answer.json()) as Login;
};

/** Analysts of a service on embedded engines: who is made may ask after its next start, between the two. */
export const analystsAround = (running: () => Service) => {
  let made: Login;
  return {
    beforeTheNextStart: () =>
      it('lets the analyst of the system ask, and nobody yet who is made', async () => {
        const service = running();
        const { clickhouseAnalyst } = JSON.parse(await readFile(join(service.dataDir, 'secrets.json'), 'utf8')) as {
          readonly clickhouseAnalyst: string;
        };
        expect(await ask(service, 'analyst', clickhouseAnalyst)).to.deep.equal({ ok: true, text: 'Demo network' });
        made = await ops(service, 'POST', '/analysts', { name: 'anna', networks: [1] });
        expect([made.can_log_in, made.url]).to.deep.equal([false, service.endpoints.analysts]);
        expect((await ask(service, 'anna', made.password)).ok).to.equal(false);
      }),
    afterIt: () =>
      it('lets an analyst ask who was made before, and see nothing from the moment they are revoked', async () => {
        const service = running();
        expect(await ask(service, 'anna', made.password)).to.deep.equal({ ok: true, text: 'Demo network' });
        const revoked = await ops(service, 'DELETE', '/analysts/anna');
        expect(await ask(service, 'anna', made.password)).to.deep.equal({ ok: true, text: '' });
        expect(revoked.can_log_in, 'until the next start').to.equal(true);
      }),
  };
};

import { randomUUID } from 'node:crypto';
import { insertDeliveries } from '@popsvc/platform/postgres';
import type { Popsvc } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { startTestOps, type TestOps } from '../ops-api/ops.fixture.ts';
import { smallRegistry } from '../support/small-registry.ts';
import { popsvcFor, runJson } from './popsvc.fixture.ts';

type Json = Readonly<Record<string, unknown>>;

describe('popsvc webhooks', () => {
  let system: TestOps;
  let popsvc: Popsvc;
  before(async () => {
    system = await startTestOps();
    await system.request('POST', '/registry', smallRegistry);
    popsvc = popsvcFor(system);
  });
  after(() => system.close());

  const json = <T = Json>(...args: string[]) => runJson<T>(popsvc, 'webhooks', ...args);

  it('creates, lists, rotates and deletes subscriptions', async () => {
    const types = 'outage.opened,outage.closed';
    const made = await json('create', '--network', '1', '--url', 'https://example.com/hook', '--types', types);
    const id = String(made['id']);
    expect(made).to.include({ network_id: 1, url: 'https://example.com/hook', vendor: null });
    expect(made['types']).to.deep.equal(['outage.opened', 'outage.closed']);
    const listed = await popsvc('webhooks', 'list', '--network', '1');
    expect(listed.stdout).to.include(id).and.to.include('https://example.com/hook').and.not.to.include('whsec_');
    const rotated = await popsvc('webhooks', 'rotate', id, '--overlap', '60');
    expect(rotated.stdout)
      .to.match(/secret {2}whsec_\S+\n/)
      .and.not.to.include(String(made['secret']));
    expect(rotated.stdout).to.include('The previous secret signs, too, until 2');
    const ended = await popsvc('webhooks', 'rotate', id, '--overlap', '0');
    expect(ended.stdout).to.include('The previous secret no longer signs.');
    expect((await popsvc('webhooks', 'delete', id)).stdout).to.equal(`The webhook ${id} is deleted.\n`);
    expect((await popsvc('webhooks', 'list')).stdout).to.equal('There are no webhooks.\n');
  });

  it('lists deliveries with their last attempt, and posts dead letters again', async () => {
    const url = 'https://example.com/days';
    const { id } = await json<{ id: string }>('create', '--network', '1', '--url', url, '--types', 'report_day.final');
    const data = { network_id: 1, day: '2026-08-20' };
    const notice = { type: 'report_day.final' as const, timestamp: '2026-08-24T00:00:03.000Z', data };
    const add = () => ({
      noticeId: randomUUID(),
      network: 1,
      vendor: null,
      type: notice.type,
      payload: JSON.stringify(notice),
    });
    await insertDeliveries(system.postgres, [add(), add()]);
    const attempts = JSON.stringify([{ at: notice.timestamp, status: 503, error: null, duration_ms: 7 }]);
    await system.postgres.query(
      `UPDATE webhook_deliveries SET state = 'dead', next_attempt_at = NULL, attempts = $1::jsonb`,
      [attempts],
    );
    const dead = await popsvc('webhooks', 'deliveries', id, '--state', 'dead', '--limit', '1');
    expect(dead.stdout).to.match(/report_day\.final\s+dead\s+1\s+503/);
    expect(dead.stderr).to.match(/There are older deliveries: --before \d+/);
    const { deliveries } = await json<{ deliveries: { id: string }[] }>('deliveries', id);
    expect(await json('redeliver', id, deliveries[0]!.id)).to.deep.equal({ queued: 1 });
    expect((await popsvc('webhooks', 'redeliver', id)).stdout).to.equal('Deliveries that are posted again: 1.\n');
    expect((await popsvc('webhooks', 'deliveries', id, '--state', 'dead')).stdout).to.equal(
      'There are no such deliveries.\n',
    );
  });

  it('posts a test notice', async () => {
    const url = 'https://example.com/test';
    const { id } = await json<{ id: string }>('create', '--network', '1', '--url', url, '--types', 'job.finished');
    const tested = await popsvc('webhooks', 'test', id);
    const { deliveries } = await json<{ deliveries: { webhook_id: string; payload: Json }[] }>('deliveries', id);
    expect(deliveries.map(({ payload }) => payload['type'])).to.deep.equal(['test']);
    expect(tested.stdout).to.equal(`The test notice ${deliveries[0]!.webhook_id} is posted within seconds.\n`);
  });

  it('names what is wrong', async () => {
    const wrong = ['create', '--network', '1', '--url', 'https://192.168.0.1/', '--types', 'job.finished'];
    const { code, stderr } = await popsvc('webhooks', ...wrong);
    expect(code).to.equal(1);
    expect(stderr).to.include('url: must not be an internal address');
    const unknown = await popsvc('webhooks', 'deliveries', randomUUID());
    expect(unknown.code).to.equal(1);
    expect(unknown.stderr).to.include('There is no subscription with this id.');
  });
});

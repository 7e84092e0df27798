import { registerProjection, readGenerations } from '@popsvc/platform/postgres';
import { expect } from 'chai';
import { operatorToken, startTestServices, type TestServices } from '../support/test-services.ts';
import { smallRegistry } from '../support/small-registry.ts';
import type { Popsvc } from '@popsvc/tools/rig';
import { popsvcFor } from './popsvc.fixture.ts';

describe('popsvc events parked, events quarantine retry and projections pause', function () {
  let system: TestServices;
  let popsvc: Popsvc;
  let positions: string[];
  before(async () => {
    system = await startTestServices();
    popsvc = popsvcFor({ baseUrl: system.opsUrl });
    await system.register(smallRegistry);
    await registerProjection(system.postgres, 'coffee', 1);
    const bad = [{ eventId: 7 }, { eventId: 8 }, { eventId: 9 }];
    positions = [];
    for (const data of bad) {
      const event = { plays: [{ ...data, screenId: 'x' }] };
      positions.push(`${await system.append('pop-1.acme.20260820', 'PlaysRecorded', event)}:0`);
    }
    await system.projectOne('coffee');
  });
  after(() => system.close());

  interface Parked {
    readonly position: string;
    readonly state: string;
    readonly attempts: number;
    readonly reason: string | null;
    readonly decision_pending: boolean;
  }
  const listed = async (...args: string[]) =>
    JSON.parse((await popsvc('events', 'parked', 'list', '--json', ...args)).stdout) as {
      parked: Parked[];
      next_after: string | null;
    };
  const expectFailure = async (code: number, reason: string, ...args: string[]) => {
    const ran = await popsvc(...args);
    expect([ran.code, ran.stdout], ran.stderr).to.deep.equal([code, '']);
    expect(ran.stderr).to.include(reason);
  };

  it('lists parked events page by page', async () => {
    const { stdout } = await popsvc('events', 'parked', 'list', 'coffee', '--raw');
    expect(stdout)
      .to.match(/^coffee +1 +\d+:0 +parked +1 /m)
      .and.to.include('expected string');
    expect(stdout).to.include('{"data":{"eventId":7,"screenId":"x"}');
    const [first, last] = await Promise.all([listed('--limit', '2'), listed('uptime')]);
    expect(last).to.deep.equal({ parked: [], next_after: null });
    const { parked } = await listed('--limit', '2', '--after', first.next_after!);
    expect([...first.parked, ...parked].map(({ position }) => position)).to.deep.equal(positions);
  });

  it('rejects positions that no log can have', async () => {
    const request = (path: string, body?: object) =>
      fetch(`${system.opsUrl}/ops/v1${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
    for (const position of ['9999999999999999999', 'x'])
      for (const response of [
        await request(`/parked?after=coffee.1.${position}`),
        await request('/parked/retry', { projection: 'coffee', positions: [position] }),
        await request('/parked/discard', { projection: 'coffee', positions: [position], reason: 'none' }),
      ]) {
        const { error } = (await response.json()) as { error: { details: readonly unknown[] } };
        expect([response.status, error.details.length]).to.deep.equal([400, 1]);
      }
  });

  it('retries one event and shows that it failed again', async () => {
    const [position] = positions;
    const ran = await popsvc('events', 'parked', 'retry', 'coffee', '--position', position!);
    expect([ran.code, ran.stdout]).to.deep.equal([
      0,
      '1 event of coffee will be retried; events parked list shows the result.\n',
    ]);
    expect((await listed()).parked.map(({ decision_pending: isPending }) => isPending)).to.deep.equal([
      true,
      false,
      false,
    ]);
    await expectFailure(
      1,
      'a decision is already recorded',
      'events',
      'parked',
      'retry',
      'coffee',
      '--position',
      position!,
    );
    await system.projectOne('coffee');
    const attempted = (await listed()).parked.map(({ attempts, decision_pending: isPending }) => [attempts, isPending]);
    expect(attempted).to.deep.equal([
      [2, false],
      [1, false],
      [1, false],
    ]);
  });

  it('discards events permanently and stores the reason', async () => {
    const args = ['--position', positions[0]!, '--position', positions[1]!, '--reason', 'a test of theirs'];
    const ran = await popsvc('events', 'parked', 'discard', 'coffee', '--json', ...args);
    expect(JSON.parse(ran.stdout)).to.deep.equal({ projection: 'coffee', events: 2 });
    await system.projectOne('coffee');
    expect((await listed('--state', 'discarded')).parked.map(({ reason }) => reason)).to.deep.equal([
      'a test of theirs',
      'a test of theirs',
    ]);
    const all = await popsvc('events', 'parked', 'retry', 'coffee', '--all', '--json');
    expect(JSON.parse(all.stdout)).to.deep.equal({ projection: 'coffee', events: 1 });
  });

  it('refuses to discard an event that is stored and not parked', async () => {
    const stored = await system.append('pop-1.acme.20260820', 'PlaysRecorded', {
      plays: [
        {
          eventId: 'good',
          screenId: 'screen-1',
          campaignId: 'C-100',
          creativeId: 'CR-1',
          playedAt: '2026-08-20T14:00:00.000Z',
          durationMs: 10_000,
        },
      ],
    });
    await system.projectOne('coffee');
    const args = ['--position', `${stored}:0`, '--reason', 'a mistake'];
    const reason = `has nothing parked at ${stored}:0`;
    await expectFailure(1, reason, 'events', 'parked', 'discard', 'coffee', ...args);
    expect((await listed('--state', 'discarded')).parked).to.have.lengthOf(2);
  });

  it('rejects events that are not parked and incomplete options', async () => {
    await expectFailure(1, 'has nothing parked at 1:0', 'events', 'parked', 'retry', 'coffee', '--position', '1');
    await expectFailure(
      1,
      '"popsvc events parked list" shows',
      'events',
      'parked',
      'retry',
      'coffee',
      '--position',
      '1',
    );
    for (const args of [
      ['list', 'tea'],
      ['retry', 'tea', '--all'],
    ]) {
      const { code, stderr } = await popsvc('events', 'parked', ...args);
      // One line: the detail does not repeat the message.
      expect([code, stderr.trimEnd().split('\n').length], stderr).to.deep.equal([1, 1]);
      expect(stderr).to.match(/^popsvc: projection:? must be one of /);
    }
    await expectFailure(2, 'name --position or --all', 'events', 'parked', 'retry', 'coffee');
    await expectFailure(2, '--reason', 'events', 'parked', 'discard', 'coffee', '--all');
    await expectFailure(2, 'must be a position as listed', 'events', 'parked', 'retry', 'coffee', '--position', 'x');
  });

  it('pauses and resumes a projection', async () => {
    const paused = async () => (await readGenerations(system.postgres))[0]?.paused;
    expect((await popsvc('projections', 'pause', 'coffee')).stdout).to.equal('coffee is paused.\n');
    expect(await paused()).to.equal(true);
    expect(JSON.parse((await popsvc('projections', 'resume', 'coffee', '--json')).stdout)).to.deep.equal({
      name: 'coffee',
      paused: false,
    });
    expect(await paused()).to.equal(false);
    await expectFailure(1, 'no projection tea', 'projections', 'pause', 'tea');
  });

  it('processes quarantined events again', async () => {
    await system.append('dynamicPop-1.acme.20260820', 'DynamicPlaysRecorded', {
      schemaVersion: 'own',
      items: [{ a: 1 }],
    });
    await system.projectOne('coffee');
    const of = ['--network', '1', '--vendor', 'acme', '--schema-version', 'own'];
    const ran = await popsvc('events', 'quarantine', 'retry', ...of);
    expect(ran.stdout, ran.stderr).to.equal('1 quarantined events of acme own are processed again.\n');
    await system.projectOne('coffee');
    await expectFailure(2, '--network, --vendor and --schema-version are needed', 'events', 'quarantine', 'retry');
  });
});

import { registerProjection, readGenerations } from '@popsvc/platform/postgres';
import { expect } from 'chai';
import { operatorToken, startTestServices, type TestServices } from '../support/test-services.ts';
import { smallRegistry } from '../support/small-registry.ts';
import type { Popsvc } from '@popsvc/tools/rig';
import { popsvcOf } from './popsvc.fixture.ts';

describe('popsvc events parked, projections pause', function () {
  this.timeout(60_000);
  let system: TestServices;
  let popsvc: Popsvc;
  let positions: string[];
  before(async () => {
    system = await startTestServices();
    popsvc = popsvcOf({ baseUrl: system.opsUrl });
    await system.register(smallRegistry);
    await registerProjection(system.postgres, 'coffee', 1);
    const bad = [{ eventId: 7 }, { eventId: 8 }, { eventId: 9 }];
    positions = [];
    for (const data of bad)
      positions.push(String(await system.append('pop-1.acme.20260820', 'PopRecorded', { ...data, screenId: 'x' })));
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
      next_cursor: string | null;
    };
  const refused = async (code: number, told: string, ...args: string[]) => {
    const ran = await popsvc(...args);
    expect([ran.code, ran.stdout], ran.stderr).to.deep.equal([code, '']);
    expect(ran.stderr).to.include(told);
  };

  it('lists what is set aside, page by page', async () => {
    const { stdout } = await popsvc('events', 'parked', 'list', 'coffee', '--raw');
    expect(stdout)
      .to.match(/^coffee +1 +\d+ +parked +1 /m)
      .and.to.include('expected string');
    expect(stdout).to.include('{"data":{"eventId":7,"screenId":"x"}');
    const [first, last] = await Promise.all([listed('--limit', '2'), listed('uptime')]);
    expect(last).to.deep.equal({ parked: [], next_cursor: null });
    const { parked } = await listed('--limit', '2', '--cursor', first.next_cursor!);
    expect([...first.parked, ...parked].map(({ position }) => position)).to.deep.equal(positions);
  });

  it('refuses numbers that are past any log', async () => {
    const ask = (path: string, body?: object) =>
      fetch(`${system.opsUrl}/ops/v1${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
    for (const position of ['9999999999999999999', 'x'])
      for (const answer of [
        await ask(`/parked?cursor=coffee.1.${position}`),
        await ask('/parked/retry', { projection: 'coffee', positions: [position] }),
        await ask('/parked/discard', { projection: 'coffee', positions: [position], reason: 'none' }),
      ]) {
        const { error } = (await answer.json()) as { error: { details: readonly unknown[] } };
        expect([answer.status, error.details.length]).to.deep.equal([400, 1]);
      }
  });

  it('has one tried again, and tells that it failed again', async () => {
    const [position] = positions;
    const ran = await popsvc('events', 'parked', 'retry', 'coffee', '--position', position!);
    expect([ran.code, ran.stdout]).to.deep.equal([
      0,
      '1 event of coffee will be tried again; events parked list tells what is left.\n',
    ]);
    expect((await listed()).parked.map(({ decision_pending: isPending }) => isPending)).to.deep.equal([
      true,
      false,
      false,
    ]);
    await refused(1, 'a decision is already recorded', 'events', 'parked', 'retry', 'coffee', '--position', position!);
    await system.projectOne('coffee');
    const tried = (await listed()).parked.map(({ attempts, decision_pending: isPending }) => [attempts, isPending]);
    expect(tried).to.deep.equal([
      [2, false],
      [1, false],
      [1, false],
    ]);
  });

  it('discards for good, with a reason', async () => {
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

  it('refuses what is not parked and what is not said', async () => {
    await refused(1, 'has nothing parked at 1', 'events', 'parked', 'retry', 'coffee', '--position', '1');
    await refused(1, 'popsvc events parked list shows', 'events', 'parked', 'retry', 'coffee', '--position', '1');
    for (const args of [
      ['list', 'tea'],
      ['retry', 'tea', '--all'],
    ]) {
      const { code, stderr } = await popsvc('events', 'parked', ...args);
      // Once, on a line of its own.
      expect([code, stderr.trimEnd().split('\n').length], stderr).to.deep.equal([1, 1]);
      expect(stderr).to.match(/^popsvc: projection:? must be one of /);
    }
    await refused(2, 'name --position or --all', 'events', 'parked', 'retry', 'coffee');
    await refused(2, '--reason', 'events', 'parked', 'discard', 'coffee', '--all');
    await refused(2, 'must be a position', 'events', 'parked', 'retry', 'coffee', '--position', 'x');
  });

  it('has a projection stand still and go on', async () => {
    const paused = async () => (await readGenerations(system.postgres))[0]?.paused;
    expect((await popsvc('projections', 'pause', 'coffee')).stdout).to.equal('coffee stands still.\n');
    expect(await paused()).to.equal(true);
    expect(JSON.parse((await popsvc('projections', 'resume', 'coffee', '--json')).stdout)).to.deep.equal({
      name: 'coffee',
      paused: false,
    });
    expect(await paused()).to.equal(false);
    await refused(1, 'no projection tea', 'projections', 'pause', 'tea');
  });

  it('has what waits for a mapping tried again', async () => {
    await system.append('dynamicPop-1.acme.20260820', 'DynamicPopRecorded', { schemaVersion: 'own', event: { a: 1 } });
    await system.projectOne('coffee');
    const of = ['--network', '1', '--vendor', 'acme', '--schema-version', 'own'];
    const ran = await popsvc('events', 'quarantine', 'retry', ...of);
    expect(ran.stdout, ran.stderr).to.equal('1 waiting events of acme own are tried again.\n');
    await system.projectOne('coffee');
    await refused(2, '--network, --vendor and --schema-version are needed', 'events', 'quarantine', 'retry');
  });
});

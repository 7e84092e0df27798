import { createMetrics } from '@popsvc/platform/telemetry';
import { allProjections } from '@popsvc/projectors/projections';
import { createProjectors, ProjectorsConfig } from '@popsvc/projectors/service';
import { expect } from 'chai';
import { waitUntil } from '@popsvc/tools/rig';
import { startTestSystem, type TestSystem } from '../support/test-system.ts';

const all: readonly string[] = allProjections.map(({ name }) => name).sort();

describe('processes that share the work', function () {
  this.timeout(60_000);
  let system: TestSystem;
  const running: { stop(): Promise<void> }[] = [];
  before(async () => {
    system = await startTestSystem();
  });
  after(async () => {
    await Promise.all(running.map((each) => each.stop()));
    await system.close();
  });

  const start = async (owner: string, own?: readonly string[]) => {
    const { parts, postgres } = system;
    const started = await createProjectors({ ...parts, postgres, metrics: createMetrics('test'), owner, own });
    running.push(started);
    return started;
  };
  const owned = async () => {
    const { rows } = await system.postgres.query<{ owner: string; projection: string }>(
      'SELECT owner, projection FROM leases WHERE expires_at > now() ORDER BY projection',
    );
    const of = (name: string) => rows.filter(({ owner }) => owner === name).map(({ projection }) => projection);
    return {
      one: of('one').filter((name) => all.includes(name)),
      other: of('other').filter((name) => all.includes(name)),
    };
  };

  it('run the projections they are configured for, and are ready without the others', async () => {
    const one = await start('one', ['coffee', 'uptime']);
    const held = await waitUntil(owned, (found) => found.one.length === 2);
    expect(held).to.deep.equal({ one: ['coffee', 'uptime'], other: [] });
    expect(
      one.statusRegistry.statuses
        .filter(({ isNeeded }) => isNeeded)
        .map(({ name }) => name)
        .sort(),
    ).to.deep.equal(['coffee', 'uptime']);
    await start(
      'other',
      all.filter((name) => name !== 'coffee' && name !== 'uptime'),
    );
    const { other } = await waitUntil(owned, (found) => found.other.length === all.length - 2);
    expect([...other, 'coffee', 'uptime'].sort()).to.deep.equal(all);
  });

  it('are configured with names of known projections', () => {
    const read = (text: string) => ProjectorsConfig.shape.PROJECTIONS.safeParse(text);
    expect(read('coffee, uptime').data).to.deep.equal(['coffee', 'uptime']);
    expect(read('coffee,tea').error?.issues[0]?.message).to.include('watcher-summary');
    expect(read('coffee,').success).to.equal(false);
  });
});

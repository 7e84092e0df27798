import type { EventStore } from '@popsvc/platform/event-store';
import type { Postgres } from '@popsvc/platform/postgres';
import { degraded, NotReadyError } from '@popsvc/platform/runtime';
import { createReadinessChecks } from '@popsvc/ops-api/server';
import { expect } from 'chai';

/** Runs the check on projections in these states. */
const checkWith = (states: Readonly<Record<string, string>>) => {
  const running = Object.entries(states).map(([name, state]) => ({ name, state }));
  const projections = running.map((one) => ({ ...one, generation: 1, error: undefined, isNeeded: true, asOfMs: 0 }));
  const shard = { declarations: projections };
  const checks = createReadinessChecks({
    store: {} as EventStore,
    shards: [shard] as never,
    postgres: { query: () => Promise.resolve({ rows: [] }) } as unknown as Postgres,
    listRunningProjections: () => projections,
  });
  return checks.projection();
};

describe('the readiness check of projections', () => {
  it('is degraded while projections are ahead of the log, and names them and the command', async () => {
    expect(await checkWith({ coffee: 'rebuild-needed', status: 'running', uptime: 'rebuild-needed' })).to.deep.equal(
      degraded(
        'ahead of the log: coffee, uptime; once the lost events were sent again, run `popsvc projections replay NAME` for each',
      ),
    );
  });

  it('fails while another projection starts', async () => {
    const refused: unknown = await checkWith({ coffee: 'rebuild-needed', uptime: 'starting' }).catch(
      (error: unknown) => error,
    );
    expect(refused).to.be.instanceOf(NotReadyError).with.property('message', 'starting: uptime');
  });

  it('is degraded while a projection fails, so that operators can repair it with the running service', async () => {
    expect(await checkWith({ coffee: 'failing', status: 'running' })).to.deep.equal(
      degraded('failing: coffee; `popsvc projections list` gives the reason'),
    );
  });

  it('passes while all projections run', async () => {
    expect(await checkWith({ coffee: 'running' })).to.equal(undefined);
  });
});

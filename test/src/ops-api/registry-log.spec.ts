import { probeStream } from '@popsvc/contracts/events';
import { createRegistryLog } from '@popsvc/ops-api/server';
import type { SubscribeOptions } from '@popsvc/platform/event-store';
import { createLog } from '@popsvc/platform/telemetry';
import { expect } from 'chai';
import { smallRegistry } from '../support/small-registry.ts';
import { startTestSystem, type TestSystem } from '../support/test-system.ts';

describe('the registry in the log', () => {
  let system: TestSystem;
  before(async () => {
    system = await startTestSystem({ of: ['registry'] });
    await system.register(smallRegistry);
  });
  after(() => system.close());

  it('is read on from the newest probe, however old the newest registry event is', async () => {
    const reads: SubscribeOptions['after'][] = [];
    const store = {
      ...system.store,
      subscribe: (options: SubscribeOptions) => {
        reads.push(options.after);
        return system.store.subscribe(options);
      },
    };
    const registryLog = createRegistryLog(store, createLog('test', 'silent'));
    for (let play = 0; play < 3; play += 1) await system.play({ eventId: `play-${play}` });
    const probe = await system.append(probeStream('test'), 'ProbeEmitted', {
      service: 'test',
      emittedAt: new Date().toISOString(),
    });
    const { registry, expected } = await registryLog.readCurrent();
    expect([...registry.entries.devices.keys()]).deep.equal(smallRegistry.devices.map(({ id }) => String(id)));
    await registryLog.readCurrent();
    expect(reads).deep.equal(['start', probe]);
    await system.register({ sites: [{ id: 77, name: 'New', network: 1, timezone: 'UTC' }] });
    expect((await registryLog.readCurrent()).registry.entries.sites.has('77')).equal(true);
    expect(expected(probeStream('test'))).equal('no_stream');
  });
});

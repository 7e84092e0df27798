import { expect } from 'chai';
import { smallRegistry } from '../../support/small-registry.ts';
import { dynamicSystem, flat } from './dynamic.fixture.ts';

const atOneDevice = 50;

describe('quarantined events of screens with long names', () => {
  const dynamic = dynamicSystem();

  it('are released when all of the screens are registered at once', async () => {
    const screens = Array.from({ length: 500 }, (_, index) => `screen ${index} `.padEnd(199, 'é'));
    await dynamic.events.map();
    await dynamic.events.send(
      screens.map((screen, index) => flat({ id: `event-${index}`, screen, start: '2026-08-20T14:00:00' })),
    );
    await dynamic.system.project();
    const devices = Array.from({ length: screens.length / atOneDevice }, (_, index) => ({
      id: 100 + index,
      name: `Player ${index}`,
      location: 3,
      screen_ids: screens.slice(index * atOneDevice, (index + 1) * atOneDevice),
    }));
    await dynamic.system.register({ ...smallRegistry, devices: [...smallRegistry.devices, ...devices] });
    await dynamic.system.project();
    expect(await dynamic.events.plays()).to.have.length(screens.length);
  });
});

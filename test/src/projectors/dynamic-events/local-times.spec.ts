import { timeZoneVersion } from '@popsvc/contracts/time-zones';
import { expect } from 'chai';
import { smallRegistry } from '../../support/small-registry.ts';
import { dynamicSystem, flat } from './dynamic.fixture.ts';

describe('plays that vendors send with local times', () => {
  const dynamic = dynamicSystem();

  it('record the zone and the version of its data, also if they waited in quarantine', async () => {
    const local = '2026-08-20T14:00:00';
    await dynamic.events.map();
    await dynamic.events.send([
      flat({ id: 'local', start: local }),
      flat({ id: 'waiting', screen: 'screen-2', start: local }),
      flat({ id: 'utc', start: `${local}Z` }),
    ]);
    await dynamic.events.play('canonical');
    await dynamic.system.project();
    const [device] = smallRegistry.devices;
    await dynamic.system.register({
      ...smallRegistry,
      devices: [
        device,
        { id: 40, name: 'Other', location: 3, timezone: 'America/Vancouver', screen_ids: ['screen-2'] },
      ],
    });
    await dynamic.system.project();
    const rows = await dynamic.system.writer.rows<Record<string, unknown>>(
      'SELECT event_id, toString(played_at) AS at, local_zone, zone_version FROM plays_live ORDER BY event_id',
    );
    expect(rows.map((row) => Object.values(row))).to.deep.equal([
      ['canonical', '2026-08-20 14:00:00.000', '', ''],
      ['local', '2026-08-20 13:00:00.000', 'Europe/London', timeZoneVersion],
      ['utc', '2026-08-20 14:00:00.000', '', ''],
      ['waiting', '2026-08-20 21:00:00.000', 'America/Vancouver', timeZoneVersion],
    ]);
  });
});

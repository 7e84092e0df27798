import { expect } from 'chai';
import { given, registered, retired } from './given-registry.ts';
import { camera, campaign, creative, feeder, harbour } from './registry-harbour.ts';

const now = () => given(...harbour);

describe('a registry file is refused', () => {
  it('if the feeder of a camera belongs to another device, whichever of them the file changes', () => {
    const second = registered('devices', { id: 24, name: 'Second', location: 3, screen_ids: [] });
    given(...harbour, second)
      .when({ cameras: [{ ...camera, device: 24 }] })
      .thenRefused(['cameras[0].feeder', 'is of another device, 4']);
    given(...harbour, second)
      .when({ feeders: [{ ...feeder, device: 24 }] })
      .thenRefused(['feeders[0].device', 'camera 6 of device 4 uses this feeder']);
    const together = { feeders: [{ ...feeder, device: 24 }], cameras: [{ ...camera, device: 24 }] };
    expect(
      given(...harbour, second)
        .when(together)
        .plan().changes,
    ).to.have.length(2);
  });

  it('if the strategy of a creative does not belong to its campaign, whichever of them the file changes', () => {
    now()
      .when({ creatives: [{ ...creative, external_id: 'CR-2', strategy: 9 }] })
      .thenRefused(['creatives[0].strategy', 'is not a strategy of campaign 7']);
    now()
      .when({ campaigns: [{ ...campaign, strategies: [] }] })
      .thenRefused(['campaigns[0].strategies', 'creative CR-1 uses strategy 8']);
  });

  it('but not for retired cameras and creatives', () => {
    given(...harbour, retired('cameras', camera), registered('devices', { id: 24, name: 'Second', location: 3 }))
      .when({ feeders: [{ ...feeder, device: 24 }] })
      .thenNotRefused();
    given(...harbour, retired('creatives', creative))
      .when({ campaigns: [{ ...campaign, strategies: [] }] })
      .thenNotRefused();
  });
});

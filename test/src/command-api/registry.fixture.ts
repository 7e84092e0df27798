import { randomUUID } from 'node:crypto';
import { registryStream, registryTypeOf } from '@popsvc/contracts/events';
import type { EntityOf, RegistryKind } from '@popsvc/contracts/registry';
import type { EventStore } from '@popsvc/platform/event-store';

/** Appends the event of an entity, as `registry apply` does. */
export const register = async <Kind extends RegistryKind>(
  store: Pick<EventStore, 'append'>,
  kind: Kind,
  entity: EntityOf<Kind>,
  change: 'Registered' | 'Changed' | 'Retired' = 'Registered',
  key = 'id' in entity ? String(entity.id) : (entity as { code: string }).code,
): Promise<void> => {
  await store.append(registryStream(kind, key), [
    {
      id: randomUUID(),
      type: registryTypeOf(kind, change),
      data: entity,
      metadata: { schemaVersion: 1, receivedAt: new Date().toISOString() },
    },
  ]);
};

/** Two networks. Network 1 has devices 11 and 12; feeder 21 and camera 31 are on 11. Network 2 has device 91, feeder 92, camera 93. */
export const registerPlaces = async (store: Pick<EventStore, 'append'>): Promise<void> => {
  const zone = { timezone: 'Europe/London' };
  await register(store, 'networks', { id: 1, name: 'Harbour Media', ...zone });
  await register(store, 'networks', { id: 2, name: 'Inland Media', ...zone });
  await register(store, 'sites', { id: 3, name: 'Quayside', network: 1, ...zone });
  await register(store, 'sites', { id: 4, name: 'Market', network: 2, ...zone });
  await register(store, 'locations', { id: 5, name: 'Ground floor', site: 3 });
  await register(store, 'locations', { id: 6, name: 'Hall', site: 4 });
  await register(store, 'devices', { id: 11, name: 'Entrance', location: 5, screen_ids: ['screen-1'] });
  await register(store, 'devices', { id: 12, name: 'Lift', location: 5, screen_ids: [] });
  await register(store, 'devices', { id: 91, name: 'Door', location: 6, screen_ids: [] });
  await register(store, 'feeders', { id: 21, name: 'Entrance feed', device: 11 });
  await register(store, 'feeders', { id: 92, name: 'Door feed', device: 91 });
  await register(store, 'cameras', { id: 31, name: 'Entrance camera', device: 11 });
  await register(store, 'cameras', { id: 93, name: 'Door camera', device: 91 });
};

/** Network 1 has screen-1, C-100 and CR-1; the campaign C-200 and the creative CR-2 belong to network 2. */
export const registerAdvertised = async (store: Pick<EventStore, 'append'>): Promise<void> => {
  await registerPlaces(store);
  const strategies: { id: number; name: string }[] = [];
  await register(store, 'campaigns', { id: 61, network: 1, external_id: 'C-100', name: 'Coats', strategies });
  await register(store, 'campaigns', { id: 62, network: 2, external_id: 'C-200', name: 'Hats', strategies });
  const [coats, hats] = [
    { external_id: 'CR-1', title: 'Coats', campaign: 61 },
    { external_id: 'CR-2', title: 'Hats', campaign: 62 },
  ];
  await register(store, 'creatives', coats, 'Registered', '1/CR-1');
  await register(store, 'creatives', hats, 'Registered', '2/CR-2');
};

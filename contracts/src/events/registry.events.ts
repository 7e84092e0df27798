import { type EntityOf, registryKindNames, registryKinds, type RegistryKind } from '../registry/index.ts';
import { defineEvent, type EventDefinition } from './event-definition.ts';

/** Each event contains the complete entity after the change. */
export const registryChanges = ['Registered', 'Changed', 'Retired'] as const;
export type RegistryChange = (typeof registryChanges)[number];

export interface RegistryEventType {
  readonly kind: RegistryKind;
  readonly change: RegistryChange;
}

const lifecycle = { effective_from: '2026-08-20T00:00:00.000Z' };
const examples: { [Kind in RegistryKind]: unknown } = {
  networks: { id: 1, name: 'Harbour Media', timezone: 'Europe/London' },
  vendors: { code: 'acme', name: 'Acme player', network: 1 },
  sites: { id: 2, name: 'Quayside', network: 1, timezone: 'Europe/London', business_hours: { mon: ['07:00-22:00'] } },
  locations: { id: 3, name: 'Ground floor', site: 2 },
  devices: { id: 4, name: 'Entrance', location: 3, screen_ids: ['screen-1'], ...lifecycle },
  feeders: { id: 5, name: 'Entrance feed', device: 4 },
  cameras: { id: 6, name: 'Entrance camera', device: 4, feeder: 5 },
  apps: { code: 'player', name: 'Media player' },
  campaigns: {
    id: 7,
    network: 1,
    external_id: 'C-100',
    name: 'Autumn coats',
    strategies: [{ id: 8, name: 'Default' }],
  },
  creatives: { external_id: 'CR-1', title: 'autumn coats 10s', campaign: 7, strategy: 8, duration_ms: 10_000 },
  metric_definitions: { network: 1, version: 2, ...lifecycle, thresholds: { impression_ms: 1_500 } },
};

const about: Record<RegistryChange, string> = {
  Registered: 'was registered, or registered again after it was retired',
  Changed: 'changed',
  Retired: 'was retired; its history stays',
};

/** `NetworkRegistered`, `NetworkChanged`, `NetworkRetired`, `VendorRegistered` and so on, for all kinds. */
export const registryEvents: readonly EventDefinition[] = registryKindNames.flatMap((kind) =>
  registryChanges.map((change) =>
    defineEvent(`${registryKinds[kind].event}${change}`, {
      about: `An entity of the registry's ${kind} ${about[change]}.`,
      schema: registryKinds[kind].schema,
      example: examples[kind] as EntityOf<typeof kind>,
    }),
  ),
);

const byType = new Map<string, RegistryEventType>(
  registryKindNames.flatMap((kind) =>
    registryChanges.map((change) => [`${registryKinds[kind].event}${change}`, { kind, change }] as const),
  ),
);

export const registryEventType = (type: string): RegistryEventType | undefined => byType.get(type);

export const registryTypeOf = (kind: RegistryKind, change: RegistryChange): string =>
  `${registryKinds[kind].event}${change}`;

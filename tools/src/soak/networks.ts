import type { Mapping } from '@popsvc/contracts/mappings';
import type { RegistryFile } from '@popsvc/contracts/registry';
import type { z } from 'zod';

/** A network of the soak test and its only vendor. The ids of its plays begin with `mark`. */
export interface SoakNetwork {
  readonly id: number;
  readonly name: string;
  readonly vendor: string;
  readonly mark: string;
  readonly screens: number;
}

export const soakNetworks: readonly SoakNetwork[] = [
  { id: 501, name: 'Soak North', vendor: 'soaknorth', mark: 'n', screens: 160 },
  { id: 502, name: 'Soak South', vendor: 'soaksouth', mark: 's', screens: 80 },
];

const zones = ['Europe/London', 'America/New_York', 'Asia/Kathmandu'] as const;
const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const createList = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => make(index));

export const deviceOf = ({ id }: SoakNetwork, screen: number): number => id * 1_000 + screen;
export const feederOf = ({ id }: SoakNetwork, screen: number): number => (id + 100) * 1_000 + screen;
export const screenId = ({ mark }: SoakNetwork, screen: number): string => `${mark}-screen-${screen}`;

type RegistryInput = z.input<typeof RegistryFile>;

/** Creates the registry entry for a device with one screen. `floor` selects one of the network's locations. */
export const createDevice = (network: SoakNetwork, screen: number, floor: number, name = `Screen ${screen}`) => ({
  id: deviceOf(network, screen),
  name,
  location: network.id * 10 + floor,
  screen_ids: [screenId(network, screen)],
});

export const floorCount = zones.length;

export const createRegistry = (network: SoakNetwork): RegistryInput => {
  const { id, name, vendor, screens } = network;
  const campaign = id * 10;
  return {
    networks: [{ id, name, timezone: 'Europe/London' }],
    vendors: [{ code: vendor, name: `Player of ${name}`, network: id }],
    sites: zones.map((timezone, index) => ({
      id: id * 10 + index,
      name: `Site ${index}`,
      network: id,
      timezone,
      business_hours: Object.fromEntries(days.map((day) => [day, ['00:00-24:00']])),
    })),
    locations: zones.map((_, index) => ({ id: id * 10 + index, name: `Floor ${index}`, site: id * 10 + index })),
    devices: [...createList(screens, (screen) => createDevice(network, screen, screen % floorCount))],
    feeders: [
      ...createList(screens, (screen) => ({
        id: feederOf(network, screen),
        name: `Feed ${screen}`,
        device: deviceOf(network, screen),
      })),
    ],
    apps: [{ code: 'player', name: 'Media player' }],
    campaigns: [
      {
        id: campaign,
        network: id,
        external_id: 'C-100',
        name: 'Autumn coats',
        subscription_name: 'Gold',
        strategies: [{ id: campaign + 1, name: 'Commuters' }],
      },
    ],
    creatives: [{ external_id: 'CR-1', title: 'autumn coats 2s', campaign, duration_ms: 2_000 }],
  };
};

/** Schemas of vendor-specific plays. `soak-1` has a mapping from the start; `soak-2` gets one later in the run. */
export type VendorSchema = 'soak-1' | 'soak-2';

/**
 * Creates a mapping that reads the duration from the field named in `path`. Every event contains its duration twice, in `seconds`
 * and in `length`, so the mapping produces the same plays for both values of `path`.
 */
export const createMapping = (
  { vendor }: SoakNetwork,
  schema: VendorSchema,
  path: 'seconds' | 'length' = 'seconds',
): Mapping => ({
  vendor,
  schema_version: schema,
  fields: {
    eventId: { path: 'id' },
    screenId: { path: 'screen' },
    campaignId: { const: 'C-100' },
    creativeId: { const: 'CR-1' },
    playedAt: { path: 'start' },
    duration: { path, unit: 's' },
  },
});

import type { Mapping } from '@popsvc/contracts/mappings';
import type { RegistryFile } from '@popsvc/contracts/registry';
import type { z } from 'zod';

/** A network with the one vendor that tells of it; all that is told of it begins with its mark. */
export interface SoakNetwork {
  readonly id: number;
  readonly name: string;
  readonly vendor: string;
  readonly mark: string;
  readonly screens: number;
}

export const networks: readonly SoakNetwork[] = [
  { id: 501, name: 'Soak North', vendor: 'soaknorth', mark: 'n', screens: 160 },
  { id: 502, name: 'Soak South', vendor: 'soaksouth', mark: 's', screens: 80 },
];

const zones = ['Europe/London', 'America/New_York', 'Asia/Kathmandu'] as const;
const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const upTo = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => make(index));

export const deviceOf = ({ id }: SoakNetwork, screen: number): number => id * 1_000 + screen;
export const feederOf = ({ id }: SoakNetwork, screen: number): number => (id + 100) * 1_000 + screen;
export const screenId = ({ mark }: SoakNetwork, screen: number): string => `${mark}-screen-${screen}`;

type Given = z.input<typeof RegistryFile>;

/** A screen as it is registered, on one of the three floors of its network. */
export const deviceAt = (network: SoakNetwork, screen: number, floor: number, name = `Screen ${screen}`) => ({
  id: deviceOf(network, screen),
  name,
  location: network.id * 10 + floor,
  screen_ids: [screenId(network, screen)],
});

export const floors = zones.length;

export const registryOf = (network: SoakNetwork): Given => {
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
    devices: [...upTo(screens, (screen) => deviceAt(network, screen, screen % floors))],
    feeders: [
      ...upTo(screens, (screen) => ({
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

/** Two schemas of the vendor's own: one is mapped from the beginning, the other later. */
export type OwnSchema = 'soak-1' | 'soak-2';

/** Every event tells its length twice, so that a mapping may be changed and nothing is lost by it. */
export const mappingOf = (
  { vendor }: SoakNetwork,
  schema: OwnSchema,
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

import { z } from 'zod';
import { Thresholds } from '../metrics/index.ts';
import { isKnownZone } from '../time-zones/index.ts';
import { instantMs, InstantText } from '../time/index.ts';

const Id = z.int().min(1).max(Number.MAX_SAFE_INTEGER);
const Name = z.string().trim().min(1).max(200);
const ExternalId = z.string().min(1).max(200);

export const Zone = z
  .string()
  .max(64)
  .refine(isKnownZone, 'must be an IANA time zone such as Europe/London')
  .meta({ example: 'Europe/London' });

const clock = /^(?:[01]\d|2[0-3]):[0-5]\d-(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/;
const Opening = z.string().regex(clock, 'must be HH:MM-HH:MM');

export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

/**
 * Weekly opening hours in site time. A period whose end is not after its start runs past midnight. The site is closed on days
 * that are not listed.
 */
export const BusinessHours = z.partialRecord(z.enum(DAYS), z.array(Opening).max(12));
export type BusinessHours = z.output<typeof BusinessHours>;

/** The range of times that reports support, in ms since 1970: from `firstMs` up to, but not including, `endMs`. */
const [firstMs, endMs] = [Date.UTC(1900, 0, 1), Date.UTC(2262, 0, 1)];

/** The time when a change takes effect. */
const Beginning = InstantText.refine((text) => {
  const ms = instantMs(text) ?? NaN;
  return ms >= firstMs && ms < endMs;
}, 'must lie between 1900 and 2262');

/** Lifecycle fields of every entity. */
const lifecycleFields = {
  effective_from: Beginning.optional().describe(
    'Instant from which the change is effective; default: when it is applied.',
  ),
  retired: z.boolean().optional().describe('Retires the entity and keeps its history.'),
};

const Code = z.string().regex(/^[a-z][a-z0-9]{1,31}$/, 'must be 2 to 32 lower-case letters and digits, a letter first');

const entityId = Id.describe('Identifies the entity among those of its kind.');
const entityName = Name.describe('Shown in reports and lists.');
const itsNetwork = Id.describe('Id of the network to which it belongs.');
const itsDevice = Id.describe('Id of the device to which it belongs.');

const Network = z.strictObject({
  id: entityId,
  name: entityName,
  timezone: Zone.describe('IANA time zone, for plays whose site is unknown.'),
  ...lifecycleFields,
});
const Vendor = z.strictObject({
  code: Code.describe('Identifies the vendor, also in mappings and API keys.'),
  name: entityName,
  network: itsNetwork,
  ...lifecycleFields,
});
const Site = z.strictObject({
  id: entityId,
  name: entityName,
  network: itsNetwork,
  timezone: Zone.describe('IANA time zone of the site, for local times and opening hours.'),
  business_hours: BusinessHours.optional().describe(
    'Opening hours by weekday in site time; a missing day is closed. Absent: always open.',
  ),
  ...lifecycleFields,
});
const Location = z.strictObject({
  id: entityId,
  name: entityName,
  site: Id.describe('Id of the site to which it belongs.'),
  ...lifecycleFields,
});
const Device = z.strictObject({
  id: entityId,
  name: entityName,
  location: Id.describe('Id of the location of the device.'),
  timezone: Zone.optional().describe(
    'IANA time zone of the local times that it sends, DEVICE_TZ in reports; default: that of its site.',
  ),
  screen_ids: z
    .array(ExternalId)
    .max(64)
    .default([])
    .describe('Ids of its screens, as vendors send them; unique in the network.'),
  ...lifecycleFields,
});
const Feeder = z.strictObject({ id: entityId, name: entityName, device: itsDevice, ...lifecycleFields });
const Camera = z.strictObject({
  id: entityId,
  name: entityName,
  device: itsDevice,
  feeder: Id.optional().describe('Id of the feeder to which it belongs, if any.'),
  ...lifecycleFields,
});
const App = z.strictObject({
  code: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/)
    .describe('Identifies the app, also in heartbeats and intervals.'),
  name: entityName,
  ...lifecycleFields,
});
const Campaign = z.strictObject({
  id: entityId,
  network: itsNetwork,
  external_id: ExternalId.describe('Id of the campaign in plays; unique in the network.'),
  name: entityName,
  subscription_name: Name.optional().describe('SUBSCRIPTION_NAME in reports; absent: null there.'),
  strategies: z
    .array(
      z.strictObject({
        id: Id.describe('TARGET_STRATEGY_ID in reports.'),
        name: Name.describe('STRATEGY_NAME in reports.'),
      }),
    )
    .max(100)
    .default([])
    .describe('Targeting strategies of the campaign.'),
  ...lifecycleFields,
});
const Creative = z.strictObject({
  external_id: ExternalId.describe('Id of the creative in plays; unique in the network.'),
  title: Name.describe('TITLE in reports.'),
  display_title: Name.optional().describe('DISPLAY_TITLE in reports; default: the title.'),
  campaign: Id.describe('Id of the campaign to which it belongs.'),
  strategy: Id.optional().describe("Id of one of the campaign's strategies; default: its only one, if it has one."),
  duration_ms: z.int().min(1).max(86_400_000).optional().describe('Length of the creative in milliseconds.'),
  ...lifecycleFields,
});
const MetricDefinition = z.strictObject({
  network: Id.describe('Id of the network whose plays use it.'),
  version: z.int().min(1).max(1_000_000).describe('Number of the version in the network.'),
  effective_from: Beginning.describe('Plays that begin at or after this time use it, until a later version.'),
  thresholds: Thresholds,
});

/**
 * All kinds of registry entities, with their schemas and their names in events and streams. An entity refers only to entities of
 * kinds that are listed before its own kind.
 */
export const registryKinds = {
  networks: { schema: Network, event: 'Network', stem: 'network' },
  vendors: { schema: Vendor, event: 'Vendor', stem: 'vendor' },
  sites: { schema: Site, event: 'Site', stem: 'site' },
  locations: { schema: Location, event: 'Location', stem: 'location' },
  devices: { schema: Device, event: 'Device', stem: 'device' },
  feeders: { schema: Feeder, event: 'Feeder', stem: 'feeder' },
  cameras: { schema: Camera, event: 'Camera', stem: 'camera' },
  apps: { schema: App, event: 'App', stem: 'app' },
  campaigns: { schema: Campaign, event: 'Campaign', stem: 'campaign' },
  creatives: { schema: Creative, event: 'Creative', stem: 'creative' },
  metric_definitions: { schema: MetricDefinition, event: 'MetricDefinition', stem: 'metric-definition' },
} as const;

export type RegistryKind = keyof typeof registryKinds;
export type EntityOf<Kind extends RegistryKind> = z.output<(typeof registryKinds)[Kind]['schema']>;

export const registryKindNames = Object.keys(registryKinds) as RegistryKind[];

type Lists = { [Kind in RegistryKind]: z.ZodDefault<z.ZodArray<(typeof registryKinds)[Kind]['schema']>> };

const listDescriptions: Readonly<Record<RegistryKind, string>> = {
  networks: "Companies' screens, the unit of tenancy.",
  vendors: 'Companies that push events.',
  sites: 'Buildings with a time zone and opening hours.',
  locations: 'Places in a site.',
  devices: 'Media players, with their screens.',
  feeders: "Hardware that feeds video of a device's surroundings.",
  cameras: 'Cameras of feeders or devices.',
  apps: 'Apps that devices run.',
  campaigns: 'What is advertised.',
  creatives: 'Files that screens play for campaigns.',
  metric_definitions: 'Versions of the thresholds of networks.',
};

const lists = Object.fromEntries(
  registryKindNames.map((kind) => [
    kind,
    z.array(registryKinds[kind].schema).default([]).describe(listDescriptions[kind]),
  ]),
) as unknown as Lists;

/** The registry file that operators apply. Entities that the file does not contain are left unchanged. */
export const RegistryFile = z.strictObject(lists);
export type RegistryFile = { [Kind in RegistryKind]: EntityOf<Kind>[] };

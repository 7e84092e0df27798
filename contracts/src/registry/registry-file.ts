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

/** Weekly opening hours in site time. A period whose end is not after its start runs past midnight. */
export const BusinessHours = z.partialRecord(z.enum(DAYS), z.array(Opening).max(12));
export type BusinessHours = z.output<typeof BusinessHours>;

/** The range of times that reports support, in ms since 1970; `endMs` is not included. */
const [firstMs, endMs] = [Date.UTC(1900, 0, 1), Date.UTC(2262, 0, 1)];

const Beginning = InstantText.refine((text) => {
  const ms = instantMs(text) ?? NaN;
  return ms >= firstMs && ms < endMs;
}, 'must lie between 1900 and 2262');

const lifecycleFields = {
  effective_from: Beginning.optional().describe(
    'Instant from which the change is effective; default: when it is applied.',
  ),
  retired: z
    .boolean()
    .optional()
    .describe('Retires the entity and keeps its history; without it, the entity is active.'),
};

export const Code = z
  .string()
  .regex(/^[a-z][a-z0-9]{1,31}$/, 'must be 2 to 32 lower-case letters and digits, a letter first');

const ownId = Id.describe('Id, which you choose; unique among the entities of its kind.');
const ownName = Name.describe('Name in reports. They show the current one, also for earlier plays.');

const Network = z.strictObject({
  id: ownId,
  name: Name.describe('Name in reports and in `X-Network-Name`; unique, without regard to case.'),
  timezone: Zone.describe('Time zone of plays whose screen is not registered.'),
  ...lifecycleFields,
});
const Vendor = z.strictObject({
  code: Code.describe('Code in credentials, mappings and commands; unique.'),
  name: Name.describe('Name in reports; unique in the network.'),
  network: Id.describe('Network whose events it sends.'),
  ...lifecycleFields,
});
const Site = z.strictObject({
  id: ownId,
  name: ownName,
  network: Id.describe('Network to which the site belongs; it never changes.'),
  timezone: Zone.describe('Time zone of the local times in reports, and of `business_hours`.'),
  business_hours: BusinessHours.optional().describe(
    'Opening hours in site time: for each day from `mon` to `sun` a list of `HH:MM-HH:MM`. An end not after its start is on the next day. A day without a list is closed; without the field, the site is always open.',
  ),
  ...lifecycleFields,
});
const Location = z.strictObject({
  id: ownId,
  name: ownName,
  site: Id.describe('Site to which the location belongs.'),
  ...lifecycleFields,
});
const Device = z.strictObject({
  id: ownId,
  name: ownName,
  location: Id.describe('Location of the device.'),
  timezone: Zone.optional().describe('Time zone of the device; default: that of its site.'),
  screen_ids: z
    .array(ExternalId)
    .max(64)
    .default([])
    .describe("The vendor's ids of its screens, as text; a screen belongs to one device of the network."),
  ...lifecycleFields,
});
const Feeder = z.strictObject({
  id: ownId,
  name: ownName,
  device: Id.describe('Device whose audience the feeder measures.'),
  ...lifecycleFields,
});
const Camera = z.strictObject({
  id: ownId,
  name: ownName,
  device: Id.describe('Device to which the camera belongs.'),
  feeder: Id.optional().describe('Feeder that uses the camera; of the same device.'),
  ...lifecycleFields,
});
const App = z.strictObject({
  code: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/)
    .describe('Code of the app in heartbeats and uptime; apps belong to no network.'),
  name: ownName,
  ...lifecycleFields,
});
const Campaign = z.strictObject({
  id: ownId,
  network: Id.describe('Network in which the campaign runs; it never changes.'),
  external_id: ExternalId.describe('Id of the campaign in plays; unique in the network.'),
  name: ownName,
  subscription_name: Name.optional().describe('Name of the subscription in reports.'),
  strategies: z
    .array(z.strictObject({ id: Id.describe('Id of the strategy.'), name: Name.describe('Name in reports.') }))
    .max(100)
    .default([])
    .describe('Strategies of the campaign. If there is one, it counts for all its plays.'),
  ...lifecycleFields,
});
const Creative = z.strictObject({
  external_id: ExternalId.describe('Id of the creative in plays; unique in the network.'),
  title: Name.describe('Title in reports.'),
  display_title: Name.optional().describe('Title for display; default: `title`.'),
  campaign: Id.describe('Campaign that shows the creative.'),
  strategy: Id.optional().describe('Strategy of the campaign to which the creative belongs.'),
  duration_ms: z.int().min(1).max(86_400_000).optional().describe('Length in ms; reports contain that of the play.'),
  ...lifecycleFields,
});
const MetricDefinition = z.strictObject({
  network: Id.describe('Network whose plays are measured with the thresholds.'),
  version: z.int().min(1).max(1_000_000).describe('Number of the version. A version never changes.'),
  effective_from: Beginning.describe('Plays from this instant on use the version.'),
  thresholds: Thresholds.describe('Thresholds of the metrics. An omitted one has its default.'),
});

/** An entity refers only to entities of the kinds before its own in this list. */
export const registryKinds = {
  networks: {
    schema: Network,
    event: 'Network',
    stem: 'network',
    about: 'An operator of screens. Credentials, reports and limits belong to a network.',
  },
  vendors: {
    schema: Vendor,
    event: 'Vendor',
    stem: 'vendor',
    about: 'A supplier of players, which sends events of one network.',
  },
  sites: {
    schema: Site,
    event: 'Site',
    stem: 'site',
    about: 'A place with opening hours, such as a station.',
  },
  locations: {
    schema: Location,
    event: 'Location',
    stem: 'location',
    about: 'A part of a site, such as a floor.',
  },
  devices: {
    schema: Device,
    event: 'Device',
    stem: 'device',
    about: 'A player with its screens.',
  },
  feeders: {
    schema: Feeder,
    event: 'Feeder',
    stem: 'feeder',
    about: "Hardware that feeds video of a device's surroundings.",
  },
  cameras: {
    schema: Camera,
    event: 'Camera',
    stem: 'camera',
    about: 'A camera of a device.',
  },
  apps: {
    schema: App,
    event: 'App',
    stem: 'app',
    about: 'An app that sends heartbeats on devices.',
  },
  campaigns: {
    schema: Campaign,
    event: 'Campaign',
    stem: 'campaign',
    about: 'A campaign of a network.',
  },
  creatives: {
    schema: Creative,
    event: 'Creative',
    stem: 'creative',
    about: 'A file that a campaign shows.',
  },
  metric_definitions: {
    schema: MetricDefinition,
    event: 'MetricDefinition',
    stem: 'metric-definition',
    about: 'A version of the thresholds that define the metrics of a network.',
  },
} as const;

export type RegistryKind = keyof typeof registryKinds;
export type EntityOf<Kind extends RegistryKind> = z.output<(typeof registryKinds)[Kind]['schema']>;

export const registryKindNames = Object.keys(registryKinds) as RegistryKind[];

type Lists = { [Kind in RegistryKind]: z.ZodDefault<z.ZodArray<(typeof registryKinds)[Kind]['schema']>> };

const lists = Object.fromEntries(
  registryKindNames.map((kind) => [
    kind,
    z.array(registryKinds[kind].schema).default([]).describe(registryKinds[kind].about),
  ]),
) as unknown as Lists;

/** Entities that the file does not contain are left unchanged. */
export const RegistryFile = z.strictObject(lists);
export type RegistryFile = { [Kind in RegistryKind]: EntityOf<Kind>[] };

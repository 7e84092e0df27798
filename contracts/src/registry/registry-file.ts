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

const Network = z.strictObject({ id: Id, name: Name, timezone: Zone, ...lifecycleFields });
const Vendor = z.strictObject({ code: Code, name: Name, network: Id, ...lifecycleFields });
const Site = z.strictObject({
  id: Id,
  name: Name,
  network: Id,
  timezone: Zone,
  business_hours: BusinessHours.optional(),
  ...lifecycleFields,
});
const Location = z.strictObject({ id: Id, name: Name, site: Id, ...lifecycleFields });
const Device = z.strictObject({
  id: Id,
  name: Name,
  location: Id,
  timezone: Zone.optional(),
  screen_ids: z.array(ExternalId).max(64).default([]),
  ...lifecycleFields,
});
const Feeder = z.strictObject({ id: Id, name: Name, device: Id, ...lifecycleFields });
const Camera = z.strictObject({ id: Id, name: Name, device: Id, feeder: Id.optional(), ...lifecycleFields });
const App = z.strictObject({
  code: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/),
  name: Name,
  ...lifecycleFields,
});
const Campaign = z.strictObject({
  id: Id,
  network: Id,
  external_id: ExternalId,
  name: Name,
  subscription_name: Name.optional(),
  strategies: z
    .array(z.strictObject({ id: Id, name: Name }))
    .max(100)
    .default([]),
  ...lifecycleFields,
});
const Creative = z.strictObject({
  external_id: ExternalId,
  title: Name,
  display_title: Name.optional(),
  campaign: Id,
  strategy: Id.optional(),
  duration_ms: z.int().min(1).max(86_400_000).optional(),
  ...lifecycleFields,
});
const MetricDefinition = z.strictObject({
  network: Id,
  version: z.int().min(1).max(1_000_000),
  effective_from: Beginning,
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

const lists = Object.fromEntries(
  registryKindNames.map((kind) => [kind, z.array(registryKinds[kind].schema).default([])]),
) as unknown as Lists;

/** The registry file that operators apply. Entities that the file does not contain are left unchanged. */
export const RegistryFile = z.strictObject(lists);
export type RegistryFile = { [Kind in RegistryKind]: EntityOf<Kind>[] };

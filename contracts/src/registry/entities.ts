import { z } from 'zod';
import { Thresholds } from '../metrics/index.ts';
import { Beginning, BusinessHours, ExternalId, Id, lifeFields, Name, Zone } from './fields.ts';

const Code = z.string().regex(/^[a-z][a-z0-9]{1,31}$/, 'must be 2 to 32 lower-case letters and digits, a letter first');

export const Network = z.strictObject({ id: Id, name: Name, timezone: Zone, ...lifeFields });
export const Vendor = z.strictObject({ code: Code, name: Name, network: Id, ...lifeFields });
export const Site = z.strictObject({
  id: Id,
  name: Name,
  network: Id,
  timezone: Zone,
  business_hours: BusinessHours.optional(),
  ...lifeFields,
});
export const Location = z.strictObject({ id: Id, name: Name, site: Id, ...lifeFields });
export const Device = z.strictObject({
  id: Id,
  name: Name,
  location: Id,
  timezone: Zone.optional(),
  screen_ids: z.array(ExternalId).max(64).default([]),
  ...lifeFields,
});
export const Feeder = z.strictObject({ id: Id, name: Name, device: Id, ...lifeFields });
export const Camera = z.strictObject({ id: Id, name: Name, device: Id, feeder: Id.optional(), ...lifeFields });
export const App = z.strictObject({
  code: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/),
  name: Name,
  ...lifeFields,
});
export const Campaign = z.strictObject({
  id: Id,
  network: Id,
  external_id: ExternalId,
  name: Name,
  subscription_name: Name.optional(),
  strategies: z
    .array(z.strictObject({ id: Id, name: Name }))
    .max(100)
    .default([]),
  ...lifeFields,
});
export const Creative = z.strictObject({
  external_id: ExternalId,
  title: Name,
  display_title: Name.optional(),
  campaign: Id,
  strategy: Id.optional(),
  duration_ms: z.int().min(1).max(86_400_000).optional(),
  ...lifeFields,
});
export const MetricDefinition = z.strictObject({
  network: Id,
  version: z.int().min(1).max(1_000_000),
  effective_from: Beginning,
  thresholds: Thresholds,
});

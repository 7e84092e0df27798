import { z } from 'zod';

const Constant = z.union([z.string(), z.number(), z.boolean()]);
const from = {
  path: z.string().optional(),
  const: Constant.optional(),
  default: Constant.optional(),
  map: z.record(z.string(), Constant).optional(),
  when_present: Constant.optional(),
  when_absent: Constant.optional(),
};
const Text = z.object(from);
const Time = z.object({
  ...from,
  time: z.string().optional(),
  zone: z.string().optional(),
  offset_path: z.string().optional(),
});

/** Lenient, so that a stored mapping stays readable when a rule of `Mapping` becomes stricter or a time zone disappears. */
export const StoredMapping = z.object({
  vendor: z.string(),
  schema_version: z.string(),
  columns: z.array(z.string()).optional(),
  required: z.array(z.string()).optional(),
  fields: z.object({
    eventId: Text.optional(),
    screenId: Text,
    siteId: Text.optional(),
    campaignId: Text,
    creativeId: Text,
    playedAt: Time.optional(),
    endedAt: Time.optional(),
    duration: z.object({ ...from, unit: z.enum(['ms', 's']).optional() }).optional(),
    startReason: Text.optional(),
    context: z.object({ path: z.string() }).optional(),
  }),
});

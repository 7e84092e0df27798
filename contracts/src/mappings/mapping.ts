import { z } from 'zod';
import { Zone } from '../registry/index.ts';

const Path = z.string().min(1).max(500).describe('Where the value stands, like `a.b[0]`.');
const Constant = z.union([z.string().max(1_000), z.number(), z.boolean()]);

const from = {
  path: Path.optional(),
  const: Constant.optional().describe('Always this value.'),
  default: Constant.optional().describe('When the path is absent.'),
  map: z.record(z.string().max(1_000), z.string().max(1_000)).optional().describe('From the value as sent to ours.'),
  when_present: Constant.optional().describe('The value when the path is there.'),
  when_absent: Constant.optional().describe('The value when the path is not there.'),
};

/** Exactly one of path and const. */
const either = (source: { path?: string | undefined; const?: unknown }) =>
  (source.path === undefined) !== (source.const === undefined);
const eitherMessage = 'must have either path or const';

export const TextSource = z.strictObject(from).refine(either, eitherMessage);
export const TimeSource = z
  .strictObject({
    ...from,
    time: z
      .union([z.enum(['iso', 'unix_s', 'unix_ms']), z.string().regex(/^[yMdHhmsSaZ'T:./ ,+-]{2,60}$/)])
      .optional()
      .describe('How the time is written: iso (default), unix_s, unix_ms, or a pattern like yyyy-MM-dd HH:mm:ss.'),
    zone: z
      .union([z.enum(['utc', 'device']), Zone])
      .optional()
      .describe('Whose clock a time without offset is by; default device: the zone of the device, else of its site.'),
    offset_path: Path.optional().describe('Where the offset stands in a field of its own.'),
  })
  .refine(either, eitherMessage);
export const DurationSource = z
  .strictObject({ ...from, unit: z.enum(['ms', 's']).optional().describe('Default ms.') })
  .refine(either, eitherMessage);

const fields = z
  .strictObject({
    eventId: TextSource.optional(),
    screenId: TextSource,
    siteId: TextSource.optional(),
    campaignId: TextSource,
    creativeId: TextSource,
    playedAt: TimeSource.optional(),
    endedAt: TimeSource.optional(),
    duration: DurationSource.optional(),
    startReason: TextSource.optional(),
    context: z.strictObject({ path: Path }).optional().describe('An object to keep with the play.'),
  })
  .refine(
    ({ playedAt, endedAt, duration }) => [playedAt, endedAt, duration].filter((given) => given).length >= 2,
    'must tell two of playedAt, endedAt and duration',
  );

/** How events of a vendor's own schema become plays (decisions 9, mapping file). */
export const Mapping = z.strictObject({
  vendor: z.string().regex(/^[a-z][a-z0-9]{1,31}$/, 'must be a vendor code'),
  schema_version: z.string().min(1).max(200),
  columns: z
    .array(z.string().min(1).max(200))
    .min(1)
    .max(1_000)
    .optional()
    .describe('Names of the columns of a CSV without header.'),
  fields,
});
export type Mapping = z.output<typeof Mapping>;
export type TextSource = z.output<typeof TextSource>;
export type TimeSource = z.output<typeof TimeSource>;
export type DurationSource = z.output<typeof DurationSource>;

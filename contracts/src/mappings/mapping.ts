import { z } from 'zod';
import { Code, Zone } from '../registry/index.ts';

export type PathStep = string | number;

const step = /\.?([^.[\]"']+)|\[(\d{1,6})\]|\["([^"]+)"\]|\['([^']+)'\]/y;

/** Parses a path such as `a.b[0]` or `["odd key"].c`; `$.a` is the same as `a`. Returns undefined for an invalid path. */
export const pathSteps = (path: string): readonly PathStep[] | undefined => {
  const steps: PathStep[] = [];
  let at = /^\$(?=[.[])/.test(path) ? 1 : 0;
  if (at === 0 && path.startsWith('.')) return undefined;
  while (at < path.length) {
    if (steps.length > 0 && path[at] !== '.' && path[at] !== '[') return undefined;
    step.lastIndex = at;
    const found = step.exec(path);
    if (!found) return undefined;
    const [whole, name, index, ...quoted] = found;
    steps.push(index === undefined ? (name ?? quoted[0] ?? quoted[1])! : Number(index));
    at += whole.length;
  }
  return steps.length === 0 ? undefined : steps;
};

const Path = z
  .string()
  .min(1)
  .max(500)
  .refine((path) => pathSteps(path) !== undefined, 'must be a path like a.b[0] or ["odd key"]')
  .describe('Path of the value, like `a.b[0]` or `["odd key"]`.');

const tokens = /'[^']*'|yyyy|yy|MMMM|MMM|MM|M|dd|d|HH|H|hh|h|mm|m|ss|s|SSS|S|a|ZZZ|ZZ|Z|[T:./, +-]/g;

const oneOf =
  (...names: readonly string[]) =>
  (pattern: readonly string[]) =>
    pattern.filter((token) => names.includes(token)).length === 1;

const year = oneOf('yyyy', 'yy');
const month = oneOf('MMMM', 'MMM', 'MM', 'M');
const day = oneOf('dd', 'd');
const minute = oneOf('mm', 'm');
const hour24 = oneOf('HH', 'H');
const hour12 = oneOf('hh', 'h');
const half = oneOf('a');

/** Splits a pattern such as `yyyy-MM-dd HH:mm:ss`. Returns undefined for a pattern with an unknown token. */
export const patternTokens = (pattern: string): readonly string[] | undefined => {
  const found = pattern.match(tokens) ?? [];
  return found.join('') === pattern ? found : undefined;
};

const isWhole = (pattern: string): boolean => {
  const found = patternTokens(pattern);
  if (!found) return false;
  const hour = hour24(found) ? !half(found) && !hour12(found) : hour12(found) && half(found);
  return year(found) && month(found) && day(found) && hour && minute(found);
};

const TimePattern = z
  .string()
  .max(60)
  .refine(isWhole, 'must be iso, unix_s, unix_ms, or a pattern like yyyy-MM-dd HH:mm:ss with a whole date and time');

const most = Number.MAX_SAFE_INTEGER;
const Constant = z.union([z.string().max(1_000), z.number().min(-most).max(most), z.boolean()]);

const from = {
  path: Path.optional(),
  const: Constant.optional().describe('Always this value.'),
  default: Constant.optional().describe('Value when the path is absent.'),
  map: z.record(z.string().max(1_000), Constant).optional().describe('Maps values as sent to canonical values.'),
  when_present: Constant.optional().describe('Value when the path is present.'),
  when_absent: Constant.optional().describe('Value when the path is absent.'),
};

interface Given {
  readonly path?: unknown;
  readonly const?: unknown;
  readonly default?: unknown;
  readonly map?: unknown;
  readonly when_present?: unknown;
  readonly when_absent?: unknown;
}

const onConstants = ({ default: other, map, when_present: present, when_absent: absent }: Given): boolean =>
  [other, map, present, absent].some((given) => given !== undefined);

const sound = <Source extends z.ZodType<Given>>(source: Source) =>
  source
    .refine((given) => (given.path === undefined) !== (given.const === undefined), 'must have either path or const')
    .refine(
      (given) => given.const === undefined || !onConstants(given),
      'const cannot be combined with default, map, when_present or when_absent',
    )
    .refine((given) => typeof given.const !== 'string' || given.const.trim() !== '', 'const must not be blank')
    .refine(
      (given) => given.default === undefined || given.when_absent === undefined,
      'default and when_absent are equivalent: give only one',
    );

export const TextSource = sound(z.strictObject(from));
export const TimeSource = sound(
  z.strictObject({
    ...from,
    time: z
      .union([z.enum(['iso', 'unix_s', 'unix_ms']), TimePattern])
      .optional()
      .describe('Format of the time: iso (default), unix_s, unix_ms, or a pattern like yyyy-MM-dd HH:mm:ss.'),
    zone: z
      .union([z.enum(['utc', 'device']), Zone])
      .optional()
      .describe('Zone of a time without offset; default device: the zone of the device, else of its site.'),
    offset_path: Path.optional().describe('Path of a separate field with the offset.'),
  }),
).refine(
  ({ time, offset_path: offset }) => offset === undefined || (time !== 'unix_s' && time !== 'unix_ms'),
  'a unix time has no offset',
);
export const DurationSource = sound(
  z.strictObject({ ...from, unit: z.enum(['ms', 's']).optional().describe('Default ms.') }),
);

const fields = z
  .strictObject({
    eventId: TextSource.optional().describe('Id of the play; by default the service derives one from the event.'),
    screenId: TextSource.describe("The vendor's id of the screen."),
    siteId: TextSource.optional().describe("The vendor's own name of the site; stored with the play."),
    campaignId: TextSource.describe("The vendor's id of the campaign."),
    creativeId: TextSource.describe("The vendor's id of the creative."),
    playedAt: TimeSource.optional().describe('Start of the play; default: endedAt less duration.'),
    endedAt: TimeSource.optional().describe('End of the play; read where playedAt or duration is absent.'),
    duration: DurationSource.optional().describe('Length of the play; default: from playedAt to endedAt.'),
    startReason: TextSource.optional().describe('Why playback was initiated.'),
    context: z.strictObject({ path: Path }).optional().describe('An object to keep with the play.'),
  })
  .refine(
    ({ playedAt, endedAt, duration }) => [playedAt, endedAt, duration].filter((given) => given).length >= 2,
    'must contain two of playedAt, endedAt and duration',
  );

/** A mapping file: it defines how events in a vendor's own schema are converted to plays. */
export const Mapping = z.strictObject({
  vendor: Code.describe('Code of the vendor whose events it converts.'),
  schema_version: z.string().min(1).max(200).describe("The vendor's name for the schema of these events."),
  columns: z
    .array(z.string().min(1).max(200))
    .min(1)
    .max(1_000)
    .refine((names) => new Set(names).size === names.length, 'must not name a column twice')
    .optional()
    .describe('Names of the columns of a CSV without header.'),
  required: z
    .array(Path)
    .max(100)
    .optional()
    .describe('Further fields that must be present for an event to be a play.'),
  fields: fields.describe('Where each field of the play comes from; two of playedAt, endedAt and duration are needed.'),
});
export type Mapping = z.output<typeof Mapping>;
export type TextSource = z.output<typeof TextSource>;
export type TimeSource = z.output<typeof TimeSource>;
export type DurationSource = z.output<typeof DurationSource>;

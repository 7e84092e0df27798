import { z } from 'zod';
import { instantMs, InstantText } from '../time/index.ts';

export const Id = z.int().min(1).max(Number.MAX_SAFE_INTEGER);
export const Name = z.string().trim().min(1).max(200);
export const ExternalId = z.string().min(1).max(200);

const isZone = (name: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return /^[A-Z]/.test(name);
  } catch {
    return false;
  }
};

export const Zone = z
  .string()
  .max(64)
  .refine(isZone, 'must be an IANA time zone such as Europe/London')
  .meta({ example: 'Europe/London' });

const clock = /^(?:[01]\d|2[0-3]):[0-5]\d-(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/;
const Opening = z.string().regex(clock, 'must be HH:MM-HH:MM');

export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

/** Opening hours a week in site time; an end not after the start runs past midnight; a missing day is closed. */
export const BusinessHours = z.partialRecord(z.enum(DAYS), z.array(Opening).max(12));
export type BusinessHours = z.output<typeof BusinessHours>;

/** What the reports can compute with. */
const [firstMs, endMs] = [Date.UTC(1900, 0, 1), Date.UTC(2262, 0, 1)];

/** When something takes effect. */
export const Beginning = InstantText.refine((text) => {
  const ms = instantMs(text) ?? NaN;
  return ms >= firstMs && ms < endMs;
}, 'must lie between 1900 and 2262');

/** What every entity may say of itself besides its own fields. */
export const lifeFields = {
  effective_from: Beginning.optional().describe('From when the change holds; default: when it is applied.'),
  retired: z.boolean().optional().describe('Retires the entity and keeps its history.'),
};

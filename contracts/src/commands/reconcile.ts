import { z } from 'zod';
import { instantMs, InstantText } from '../time/index.ts';

export const reconcileLimits = { events: 10_000, counts: 30_000, windowDays: 31 } as const;

const [dayMs, hourMs] = [86_400_000, 3_600_000];
const isFullHour = (ms: number): boolean => ms % hourMs === 0;

const SentCount = z.strictObject({
  screenId: z.string().min(1).max(1_000).describe('Your id of the screen.'),
  hour: InstantText.describe('Start of the hour (UTC) in which the plays began.'),
  count: z.int().min(0).describe('Your plays of this screen in this hour.'),
});

const SentEvent = z.strictObject({
  eventId: z.string().min(1).max(1_000).describe('The event id of the play.'),
  contentHash: z
    .string()
    .regex(/^[\da-fA-F]{64}$/, 'must be a SHA-256 in 64 hexadecimal digits')
    .optional()
    .describe('SHA-256 of the content; without it, only the id is compared.'),
});

export const Reconcile = z
  .strictObject({
    from: InstantText.describe('Start of the window, included.'),
    to: InstantText.describe(`End of the window, excluded; at most ${reconcileLimits.windowDays} days after from.`),
    counts: z
      .array(SentCount)
      .max(reconcileLimits.counts)
      .optional()
      .describe('Your plays by screen and hour. A screen and hour that is absent means that you have no plays there.'),
    events: z.array(SentEvent).max(reconcileLimits.events).optional().describe('All your plays of the window.'),
  })
  .superRefine(({ from, to, counts, events }, context) => {
    const refuse = (path: (string | number)[], message: string) => context.addIssue({ code: 'custom', path, message });
    const [fromMs, toMs] = [instantMs(from), instantMs(to)];
    if (fromMs === undefined || toMs === undefined) return;
    if (fromMs >= toMs) refuse(['from'], 'must be before to');
    if (toMs - fromMs > reconcileLimits.windowDays * dayMs)
      refuse(['to'], `must be at most ${reconcileLimits.windowDays} days after from`);
    if ((counts === undefined) === (events === undefined)) refuse(['counts'], 'is required, or events instead of it');
    if (counts) {
      if (!isFullHour(fromMs)) refuse(['from'], 'must be a full hour (UTC) with counts');
      if (!isFullHour(toMs)) refuse(['to'], 'must be a full hour (UTC) with counts');
      counts.forEach(({ hour }, index) => {
        const ms = instantMs(hour);
        if (ms !== undefined && (!isFullHour(ms) || ms < fromMs || ms >= toMs))
          refuse(['counts', index, 'hour'], 'must be a full hour (UTC) in the window');
      });
    }
    const keys = events
      ? events.map(({ eventId }) => eventId)
      : (counts ?? []).map(({ screenId, hour }) => JSON.stringify([screenId, instantMs(hour)]));
    const firstIndexes = new Map<string, number>();
    const list = events ? 'events' : 'counts';
    keys.forEach((key, index) => {
      const first = firstIndexes.get(key);
      if (first === undefined) firstIndexes.set(key, index);
      else refuse([list, index], `repeats ${list}[${first}]`);
    });
  });
export type Reconcile = z.output<typeof Reconcile>;

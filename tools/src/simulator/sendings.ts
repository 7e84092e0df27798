import type { Chance } from './chance.ts';
import { hourMs } from './open-quarters.ts';

/** When an event is sent, and whether it was sent before. */
export interface Sending<Event> {
  readonly hour: number;
  readonly event: Event;
  readonly again: boolean;
}

/** Hours that pass before an event is sent: almost none do, some a few, a few almost two days. */
const delayHours = (chance: Chance): number => {
  if (chance.happens(0.94)) return 0;
  return chance.happens(0.85) ? chance.int(1, 6) : chance.int(7, 40);
};

/** An event is sent at once or late, and now and then again, hours later and with others. */
export const sendingsOf = <Event>(event: Event, hour: number, chance: Chance): Sending<Event>[] => {
  const first = { hour: hour + delayHours(chance) * hourMs, event, again: false };
  if (!chance.happens(0.03)) return [first];
  return [first, { hour: first.hour + chance.int(1, 12) * hourMs, event, again: true }];
};

/** A detection that was told before the person left is told again, complete and with a higher revision. */
export const revisionsOf = <Event extends { readonly watches: readonly unknown[] }>(
  event: Event,
  hour: number,
  chance: Chance,
): Sending<Event>[] => {
  if (event.watches.length === 0 || !chance.happens(0.03)) return sendingsOf(event, hour, chance);
  const early = { ...event, watches: event.watches.slice(0, 1), revision: 0 };
  const complete = { ...event, revision: 1 };
  const [told, corrected] = [sendingsOf(early, hour, chance), sendingsOf(complete, hour + hourMs, chance)];
  return [...told, ...corrected.map((sending) => ({ ...sending, again: true }))];
};

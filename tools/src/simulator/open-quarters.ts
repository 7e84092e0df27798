import { isOpen } from '@popsvc/domain/business-hours';
import type { SimDevice } from './sim-device.ts';

export const hourMs = 3_600_000;
const quarterMs = hourMs / 4;

/** A half-open stretch of time in ms since 1970. */
export interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

/** When a device's site is open within an hour; opening times and offsets of zones are whole quarters of an hour. */
export const openWithin = (
  { week, timezone }: Pick<SimDevice, 'week' | 'timezone'>,
  fromMs: number,
): readonly Stretch[] => {
  const stretches: Stretch[] = [];
  for (let at = fromMs; at < fromMs + hourMs; at += quarterMs) {
    if (!isOpen(week, at, timezone)) continue;
    const last = stretches.at(-1);
    if (last?.toMs === at) stretches[stretches.length - 1] = { fromMs: last.fromMs, toMs: at + quarterMs };
    else stretches.push({ fromMs: at, toMs: at + quarterMs });
  }
  return stretches;
};

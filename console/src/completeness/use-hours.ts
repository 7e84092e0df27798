import { dataOf, ops } from '../api/ops.ts';
import type { Hours } from '../api/shapes.ts';
import { type Asked, useAsked } from '../state/use-asked.ts';
import type { HoursWindow } from './window.ts';

/** Screens and their hours; of no network while none is chosen. */
export const useHours = (network: string, { from, to }: HoursWindow, limit: number): Asked<Hours> =>
  useAsked(
    `hours ${network} ${from} ${to} ${limit}`,
    (signal) =>
      network === ''
        ? Promise.race([])
        : dataOf(
            ops.GET('/ops/v1/completeness', {
              params: { query: { network: Number(network), from, to, limit } },
              signal,
            }),
          ),
    { everyMs: 60_000 },
  );

import type { Mapping } from '@popsvc/contracts/mappings';
import { instantOf } from '@popsvc/contracts/time';
import type { z } from 'zod';
import type { SimulatedNetwork } from './world.ts';

const minuteMs = 60_000;
const rowsPerMinute = 5;

/** Version of the vendor's own schema. */
export const liveSchema = 'live-1';

/** Returns the mapping of the rows of `generateRows`. */
export const createRowMapping = (vendor: string): z.input<typeof Mapping> => ({
  vendor,
  schema_version: liveSchema,
  fields: {
    eventId: { path: 'id' },
    screenId: { path: 'screen' },
    campaignId: { path: 'order' },
    creativeId: { path: 'spot' },
    playedAt: { path: 'start', time: 'iso', zone: 'UTC' },
    duration: { path: 'seconds', unit: 's' },
  },
});

/**
 * Generates plays in the vendor's own schema, five at the end of each minute after `fromMs` and up to `toMs`. The start of one of them is no
 * time, so it is quarantined.
 */
export const generateRows = (
  { devices, campaigns }: SimulatedNetwork,
  tag: string,
  fromMs: number,
  toMs: number,
): readonly object[] => {
  const screens = devices.flatMap((device) => device.screens);
  const rows: object[] = [];
  for (let end = (Math.floor(fromMs / minuteMs) + 1) * minuteMs; end <= toMs; end += minuteMs)
    for (let index = 0; index < rowsPerMinute; index += 1) {
      const { campaignId, creativeId, durationMs } = campaigns.spots[index % campaigns.spots.length]!;
      rows.push({
        id: `${tag}-row-${end / minuteMs}-${index}`,
        screen: screens[index % screens.length],
        order: campaignId,
        spot: creativeId,
        start: index === 0 ? 'yesterday' : instantOf(end - minuteMs + index * 1_000),
        seconds: durationMs / 1_000,
      });
    }
  return rows;
};

import { Instant } from '@popsvc/contracts/time';
import { z } from 'zod';

const count = z.int().min(0);

const figures = {
  received: count,
  stored: count,
  duplicate: count,
  conflict: count,
  quarantined: count,
  late: count.describe('Of the stored.'),
  clock_ahead: count.describe('Of the stored.'),
};
export const HourTold = z
  .object({ hour: Instant, network_id: z.int().min(1), vendor: z.string(), ...figures })
  .meta({ id: 'BalanceOfHour' });

export const BalanceTold = z
  .object({
    since: Instant,
    until: Instant.nullable(),
    sum: z.object({ ...figures, hours: count }).nullable(),
    hours: z.array(HourTold).describe('The newest first.'),
  })
  .meta({ id: 'Balance' });

import { instantOf } from '@popsvc/contracts/time';
import type { HourFound } from './balance.query.ts';

/** An hour of a vendor's balance, as operators are told. */
export const toldHour = ({ network_id, vendor, hour_ms, ...figures }: HourFound) => ({
  hour: instantOf(hour_ms),
  network_id,
  vendor,
  ...figures,
});

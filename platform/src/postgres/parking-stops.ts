import type { LeaseKey } from './leases.ts';
import type { Queryable } from './open-records.ts';

/** No more events of a generation are parked, from this one on: there were too many at once. */
export const stopParking = async (
  postgres: Queryable,
  { projection, generation }: LeaseKey,
  position: bigint,
): Promise<void> => {
  await postgres.query(
    `UPDATE generations SET parking_stopped_at = coalesce(parking_stopped_at, $3)
     WHERE projection = $1 AND generation = $2`,
    [projection, generation, position],
  );
};

/** That event was folded, or passed over: events may be parked again. */
export const parkingGoesOn = async (
  client: Queryable,
  { projection, generation }: LeaseKey,
  upTo: bigint,
): Promise<void> => {
  await client.query(
    `UPDATE generations SET parking_stopped_at = NULL
     WHERE projection = $1 AND generation = $2 AND parking_stopped_at <= $3`,
    [projection, generation, upTo],
  );
};

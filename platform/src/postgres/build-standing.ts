import type { LeaseKey } from './leases.ts';
import type { Queryable } from './open-records.ts';

export interface BuildProgress {
  /** Events that are written. */
  readonly events: number;
  /** Everything up to here is written. */
  readonly position: bigint;
  /** Which share of the log's facts is written, 0 to 1. */
  readonly share: number;
  /** How many windows are computed, of how many; 0 until they are known. */
  readonly windows: { readonly done: number; readonly of: number };
}

export const readBuildProgress = async (
  postgres: Queryable,
  { projection, generation }: LeaseKey,
): Promise<BuildProgress> => {
  const { rows } = await postgres.query<{ events: number; position: string; share: number; done: number; of: number }>(
    `SELECT coalesce(sum(events), 0)::float8 AS events,
       coalesce(min(reached) FILTER (WHERE step = 'facts' AND NOT is_done),
                max(ends) FILTER (WHERE step = 'facts'), 0)::text AS position,
       coalesce(sum(reached - starts) FILTER (WHERE step = 'facts')
                / nullif(sum(ends - starts) FILTER (WHERE step = 'facts'), 0), 0)::float8 AS share,
       (count(*) FILTER (WHERE step = 'windows' AND is_done))::int AS done,
       (count(*) FILTER (WHERE step = 'windows'))::int AS of
     FROM build_parts WHERE projection = $1 AND generation = $2`,
    [projection, generation],
  );
  const { events, position, share, done, of } = rows[0]!;
  return { events, position: BigInt(position), share, windows: { done, of } };
};

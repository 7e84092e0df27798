import type { Queryable } from './open-records.ts';
import type { ReplayRecord } from './replays.ts';

/** The lease of who conducts the replays of a projection. */
export const replayLeaseKey = (projection: string) => ({ projection: `replay:${projection}`, generation: 0 });

/** Who conducts a replay, and under which epoch: another's word does not count any more. */
export interface ReplayCoordination {
  readonly id: number;
  readonly projection: string;
  readonly epoch: bigint;
}

export type ReplayUpdate = Partial<
  Pick<
    ReplayRecord,
    | 'state'
    | 'position'
    | 'target'
    | 'total'
    | 'verified'
    | 'differences'
    | 'accounts'
    | 'step'
    | 'pausedMs'
    | 'error'
    | 'startedAt'
  >
> & {
  /** To be added. */
  readonly events?: number;
};

const columns = {
  state: 'state',
  position: 'position',
  target: 'target',
  total: 'total',
  verified: 'verified',
  differences: 'differences',
  accounts: 'accounts',
  step: 'step',
  pausedMs: 'stood_still_ms',
  error: 'error',
  startedAt: 'started_at',
  events: 'events',
} as const;

const ended: readonly (string | undefined)[] = ['done', 'failed', 'cancelled'];

/** Writes down how a replay goes, also that nothing changed. False: it has ended, or somebody else conducts it by now. */
export const updateReplay = async (
  postgres: Queryable,
  { id, projection, epoch }: ReplayCoordination,
  change: ReplayUpdate,
): Promise<boolean> => {
  const lease = replayLeaseKey(projection);
  const names = (Object.keys(columns) as (keyof typeof columns)[]).filter((name) => change[name] !== undefined);
  const set = names.map((name, index) => {
    const value = `$${index + 5}`;
    return name === 'events' ? `events = events + ${value}` : `${columns[name]} = ${value}`;
  });
  if (ended.includes(change.state)) set.push('ended_at = now()');
  if (set.length === 0) set.push('state = state');
  const { rowCount } = await postgres.query(
    `UPDATE replays SET ${set.join(', ')}
     WHERE id = $1 AND ended_at IS NULL
     AND EXISTS (SELECT 1 FROM leases WHERE projection = $2 AND generation = $3 AND epoch = $4 FOR SHARE)`,
    [id, lease.projection, lease.generation, epoch, ...names.map((name) => asValue(change[name]))],
  );
  return rowCount === 1;
};

const asValue = (value: unknown): unknown => {
  if (typeof value === 'bigint') return value.toString();
  return Array.isArray(value) ? JSON.stringify(value) : value;
};

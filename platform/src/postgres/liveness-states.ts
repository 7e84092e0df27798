import type { Queryable } from './pool.ts';

export interface LivenessState {
  readonly kind: 'device' | 'feeder';
  readonly id: number;
  readonly network: number;
  readonly status: 'online' | 'offline';
  readonly sinceMs: number;
  readonly lastReceivedMs: number;
  readonly revision: bigint;
}

interface Stored {
  readonly kind: LivenessState['kind'];
  readonly id: string;
  readonly network: string;
  readonly status: LivenessState['status'];
  readonly since: Date;
  readonly last_received_at: Date;
  readonly revision: string;
}

const stateOf = ({ kind, id, network, status, since, last_received_at, revision }: Stored): LivenessState => ({
  kind,
  id: Number(id),
  network: Number(network),
  status,
  sinceMs: since.getTime(),
  lastReceivedMs: last_received_at.getTime(),
  revision: BigInt(revision),
});

const pageRows = 20_000;

/** One statement for a million states would exceed the time limit. */
export async function* readLivenessStates(postgres: Queryable): AsyncGenerator<LivenessState> {
  let after: readonly [kind: string, id: string] = ['', '0'];
  for (;;) {
    const { rows } = await postgres.query<Stored>(
      `SELECT kind, id, network, status, since, last_received_at, revision FROM liveness
       WHERE (kind, id) > ($1, $2) ORDER BY kind, id LIMIT $3`,
      [...after, pageRows],
    );
    for (const row of rows) yield stateOf(row);
    const last = rows.at(-1);
    if (!last || rows.length < pageRows) return;
    after = [last.kind, last.id];
  }
}

const rowsPerStatement = 5_000;

/** `states` may contain each device or feeder only once, because one upsert statement cannot change the same row twice. */
export const saveLivenessStates = async (client: Queryable, states: readonly LivenessState[]): Promise<void> => {
  for (let from = 0; from < states.length; from += rowsPerStatement) {
    const some = states.slice(from, from + rowsPerStatement);
    await client.query(
      `INSERT INTO liveness (kind, id, network, status, since, last_received_at, revision)
       SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::timestamptz[], $6::timestamptz[], $7::bigint[])
       ON CONFLICT (kind, id) DO UPDATE SET network = excluded.network, status = excluded.status,
         since = excluded.since, last_received_at = excluded.last_received_at, revision = excluded.revision`,
      [
        some.map(({ kind }) => kind),
        some.map(({ id }) => id),
        some.map(({ network }) => network),
        some.map(({ status }) => status),
        some.map(({ sinceMs }) => new Date(sinceMs)),
        some.map(({ lastReceivedMs }) => new Date(lastReceivedMs)),
        some.map(({ revision }) => revision),
      ],
    );
  }
};

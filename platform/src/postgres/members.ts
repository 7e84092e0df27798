import type { Queryable } from './pool.ts';

const aliveSeconds = 10;

export interface Member {
  readonly member: string;
  readonly shards: number;
}

export const joinMember = async (postgres: Queryable, { member, shards }: Member): Promise<void> => {
  await postgres.query(
    `INSERT INTO members (member, shards) VALUES ($1, $2)
     ON CONFLICT (member) DO UPDATE SET shards = excluded.shards, started_at = now(), seen_at = now()`,
    [member, shards],
  );
};

export const reportMember = async (postgres: Queryable, { member, shards }: Member): Promise<void> => {
  await postgres.query(
    `INSERT INTO members (member, shards) VALUES ($1, $2)
     ON CONFLICT (member) DO UPDATE SET shards = excluded.shards, seen_at = now()`,
    [member, shards],
  );
  await postgres.query(`DELETE FROM members WHERE seen_at < now() - interval '1 day'`);
};

export const readMembers = async (postgres: Queryable): Promise<readonly Member[]> => {
  const { rows } = await postgres.query<Member>(
    `SELECT member, shards FROM members WHERE seen_at > now() - interval '${aliveSeconds} seconds' ORDER BY member`,
  );
  return rows;
};

export const readMembersOfSet = async (postgres: Queryable, shards: number): Promise<readonly string[]> =>
  (await readMembers(postgres)).filter((each) => each.shards === shards).map(({ member }) => member);

export const removeMember = async (postgres: Queryable, member: string): Promise<void> => {
  await postgres.query('DELETE FROM members WHERE member = $1', [member]);
};

export interface ListedMember {
  readonly member: string;
  readonly startedAt: Date;
  readonly seenAt: Date;
  readonly isAlive: boolean;
  readonly held: readonly { readonly projection: string; readonly partition: number }[];
}

/** Includes processes that have stopped. */
export const listMembers = async (postgres: Queryable): Promise<readonly ListedMember[]> => {
  const { rows } = await postgres.query<{
    member: string;
    started_at: Date;
    seen_at: Date;
    is_alive: boolean;
    held: ListedMember['held'];
  }>(
    `SELECT member, started_at, seen_at, seen_at > now() - interval '${aliveSeconds} seconds' AS is_alive,
       coalesce((SELECT json_agg(json_build_object('projection', projection, 'partition', partition) ORDER BY projection, partition)
         FROM leases JOIN generations USING (projection, generation)
         WHERE owner = member AND state = 'live' AND expires_at > now()), '[]') AS held
     FROM members ORDER BY member`,
  );
  return rows.map(({ member, started_at, seen_at, is_alive, held }) => ({
    member,
    startedAt: started_at,
    seenAt: seen_at,
    isAlive: is_alive,
    held,
  }));
};

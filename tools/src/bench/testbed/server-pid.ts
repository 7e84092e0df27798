import { readFileSync } from 'node:fs';
import type { Queryable } from '@popsvc/platform/postgres';

/** Of the PostgreSQL server, whatever runs in front of it: the parent of any of its sessions. */
export const serverPid = async (database: Queryable): Promise<number> => {
  const { rows } = await database.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const stat = readFileSync(`/proc/${rows[0]!.pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
};

import type { TableLayout } from './tables.ts';

const damagedPartsSql =
  "SELECT toFloat64(sum(value)) AS n FROM system.events WHERE event = 'ReplicatedPartChecksFailed'";

/**
 * Counts the parts that a replica found damaged or missing since its start. The number grows before the replica detaches a damaged part.
 * Until the part is fetched again, queries of this replica return fewer rows, without an error. Returns 0 for a single server, which
 * cannot fetch a part: its queries fail.
 */
export const countDamagedParts = async (
  { cluster }: TableLayout,
  read: (query: string) => Promise<readonly { readonly n: number }[]>,
): Promise<number> => {
  if (cluster === undefined) return 0;
  const [row] = await read(damagedPartsSql);
  return row?.n ?? 0;
};

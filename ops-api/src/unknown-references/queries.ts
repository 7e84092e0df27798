import { bind, type ClickHouseReader, instantSql, joinWithAnd, liveViewName, sql } from '@popsvc/platform/clickhouse';
import { readUnknownReferences, type UnknownReference } from '@popsvc/read-models/queries';
import { coffee, plays, screenPlaces } from '@popsvc/read-models/tables';

export interface ReferencesFilter {
  readonly network?: number | undefined;
  readonly vendor?: string | undefined;
  /** Only plays that begin at or after this time, ms since 1970. */
  readonly from: number;
  /** Only plays that begin before this time, ms since 1970. */
  readonly to?: number | undefined;
  readonly limit: number;
}

/** Reads the ids in plays that the registry does not contain, the most frequent first. */
export const listUnknownReferences = (
  reader: Pick<ClickHouseReader, 'rows'>,
  { network, vendor, from, to, limit }: ReferencesFilter,
  signal?: AbortSignal,
): Promise<readonly UnknownReference[]> => {
  const ofNetwork = network === undefined ? undefined : sql`network_id = ${bind('UInt64', network)}`;
  const condition = joinWithAnd([
    ofNetwork,
    vendor === undefined ? undefined : sql`vendor = ${bind('String', vendor)}`,
    sql`ts >= ${instantSql(from)}`,
    to === undefined ? undefined : sql`ts < ${instantSql(to)}`,
  ]);
  return readUnknownReferences(
    reader,
    {
      coffee: sql`${liveViewName(coffee)} WHERE ${condition}`,
      screenPlaces: sql`${liveViewName(screenPlaces)} WHERE ${joinWithAnd([ofNetwork])}`,
      playsWhere: (isNewest) => sql`${liveViewName(plays)} WHERE ${isNewest}`,
    },
    { limit, ...(signal && { signal }) },
  );
};

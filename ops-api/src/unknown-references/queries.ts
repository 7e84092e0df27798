import { type ClickHouseReader, instantSql, joinWithAnd, liveViewName, sql } from '@popsvc/platform/clickhouse';
import { readUnknownReferences, type UnknownReference } from '@popsvc/read-models/queries';
import { coffee, plays, screenPlaces } from '@popsvc/read-models/tables';
import { type VendorFilter, vendorFilterConditions } from '../requests/parameters.ts';

export interface ReferencesFilter extends VendorFilter {
  /** In ms since 1970, inclusive. */
  readonly from: number;
  /** In ms since 1970, exclusive. */
  readonly to?: number | undefined;
  readonly limit: number;
}

/** The most frequent id first. */
export const listUnknownReferences = async (
  reader: Pick<ClickHouseReader, 'rows'>,
  { from, to, limit, ...filter }: ReferencesFilter,
  signal?: AbortSignal,
): Promise<readonly UnknownReference[]> => {
  const condition = joinWithAnd([
    ...vendorFilterConditions(filter),
    sql`ts >= ${instantSql(from)}`,
    to === undefined ? undefined : sql`ts < ${instantSql(to)}`,
  ]);
  const { references } = await readUnknownReferences(
    reader,
    {
      coffee: sql`${liveViewName(coffee)} WHERE ${condition}`,
      screenPlaces: sql`${liveViewName(screenPlaces)} WHERE ${joinWithAnd(vendorFilterConditions({ network: filter.network }))}`,
      playsWhere: (isNewest) => sql`${liveViewName(plays)} WHERE ${isNewest}`,
    },
    { limit, ...(signal && { signal }) },
  );
  return references;
};

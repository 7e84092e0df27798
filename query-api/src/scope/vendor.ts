import { ApiError } from '@popsvc/contracts/errors';
import type { Principal } from '@popsvc/http-kit/auth';
import { bind, limitedTo, liveViewName, type Sql, sql, type TableDefinition } from '@popsvc/platform/clickhouse';
import { rowsOfNetwork } from './network-rows.ts';

/** A vendor in a network, from the caller's API key. */
export interface VendorScope {
  readonly network: number;
  readonly vendor: string;
}

/** Returns the vendor and network of the API key. Throws UNAUTHORIZED for other credentials. */
export const requireVendor = (principal: Principal | undefined): VendorScope => {
  if (principal?.kind !== 'api-key') throw new ApiError('UNAUTHORIZED');
  const { network, vendor } = principal;
  return { network, vendor };
};

/**
 * Returns the part of a query after `FROM`: the source and a `WHERE` clause that selects the rows of one vendor in its network. Vendor and
 * network must come from the caller's API key. By default, the source is the view of the table's live generation; `from` replaces it.
 */
export const rowsOfVendor = (
  table: Pick<TableDefinition, 'name'>,
  { network, vendor }: VendorScope,
  conditions: readonly (Sql | undefined)[],
  from = liveViewName(table),
): Sql =>
  rowsOfNetwork(
    table,
    network,
    [sql`vendor = ${bind('String', vendor)}`, ...conditions],
    limitedTo({ network, fromMs: -Infinity, toMs: Infinity }, from),
  );

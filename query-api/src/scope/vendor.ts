import { ApiError } from '@popsvc/contracts/errors';
import type { Principal } from '@popsvc/http-kit/auth';
import { bind, limitedTo, liveViewName, type Sql, sql, type TableDefinition } from '@popsvc/platform/clickhouse';
import { rowsOfNetwork } from './network-rows.ts';

export interface VendorScope {
  readonly network: number;
  readonly vendor: string;
}

/** Throws UNAUTHORIZED for credentials other than API keys. */
export const requireVendor = (principal: Principal | undefined): VendorScope => {
  if (principal?.kind !== 'api-key') throw new ApiError('UNAUTHORIZED');
  const { network, vendor } = principal;
  return { network, vendor };
};

/** Vendor and network must come from the API key. `from`: by default, the live view. */
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

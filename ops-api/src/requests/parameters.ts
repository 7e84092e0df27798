import { parseItemId } from '@popsvc/contracts/events';
import { Code } from '@popsvc/contracts/registry';
import { bind, type Sql, sql } from '@popsvc/platform/clickhouse';
import { idParameter, integerParameter, type keysetPages } from '@popsvc/http-kit/server';
import { z } from 'zod';

export const networkParameter = idParameter;
export const vendorParameter = Code;

export const vendorFilterParameters = { network: networkParameter.optional(), vendor: vendorParameter.optional() };

export interface VendorFilter {
  readonly network?: number | undefined;
  readonly vendor?: string | undefined;
}

export const vendorFilterConditions = ({ network, vendor }: VendorFilter): readonly (Sql | undefined)[] => [
  network === undefined ? undefined : sql`network_id = ${bind('UInt64', network)}`,
  vendor === undefined ? undefined : sql`vendor = ${bind('String', vendor)}`,
];

export const listLimit = (standard: number) => integerParameter(1, 1_000).default(standard);

export const pageParameters = <Column extends string>(
  { cursor }: ReturnType<typeof keysetPages<Column>>,
  standard: number,
) => ({
  limit: listLimit(standard),
  after: cursor.optional().describe('Continue after a page: its next_after.'),
});

export const networkIdField = z.int().min(1).describe('Network to which it belongs, by its id in the registry.');
export const vendorField = z.string().describe('Code of the vendor, as in the registry.');

export const nextAfter = z.string().nullable().describe('What to send as `after` for the next page; null on the last.');

/** Parses `position:index`, or `position` for index 0, to the sequence of the item. */
export const itemIdParameter = z
  .string()
  .refine((text) => parseItemId(text) !== undefined, 'must be a position of the log, as listed: position:index')
  .transform((text) => parseItemId(text)!);

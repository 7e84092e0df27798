import { ops, responseData } from '../api/client.ts';
import type { Outage } from '../api/types.ts';

export interface OutageFilters {
  readonly network: string;
  readonly site: string;
  /** ISO 8601. */
  readonly from: string;
  readonly isOpen: boolean;
}

export const toOutagesQuery = ({ network, site, from, isOpen }: OutageFilters) => ({
  from,
  limit: 1_000,
  ...(network !== '' && { network: Number(network) }),
  ...(site !== '' && { site: Number(site) }),
  ...(isOpen && { open: true }),
});

const columns = [
  'offline_at',
  'online_at',
  'seconds',
  'kind',
  'id',
  'name',
  'network_id',
  'site_id',
  'site_name',
  'device_id',
  'backfilled',
] as const satisfies readonly (keyof Outage)[];

/** Quotes as in RFC 4180. A spreadsheet would execute text that begins like a formula, so such text gets an apostrophe. */
const toCsvField = (value: string | number | boolean | null): string => {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

const toCsv = (outages: readonly Outage[]): string =>
  [columns, ...outages.map((outage) => columns.map((column) => outage[column]))]
    .map((fields) => `${fields.map(toCsvField).join(',')}\r\n`)
    .join('');

const readAllOutages = async (filters: OutageFilters): Promise<readonly Outage[]> => {
  const all: Outage[] = [];
  let after: string | null = null;
  do {
    const query: ReturnType<typeof toOutagesQuery> & { after?: string } = {
      ...toOutagesQuery(filters),
      ...(after !== null && { after }),
    };
    const page = await responseData(ops.GET('/ops/v1/outages', { params: { query } }));
    all.push(...page.outages);
    after = page.next_after;
  } while (after !== null);
  return all;
};

export const downloadOutages = async (filters: OutageFilters): Promise<void> => {
  const url = URL.createObjectURL(new Blob([toCsv(await readAllOutages(filters))], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `outages-${filters.from.slice(0, 10)}.csv`;
  link.click();
  URL.revokeObjectURL(url);
};

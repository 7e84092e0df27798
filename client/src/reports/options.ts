import { omitUndefined } from '../http/api.ts';

/** A time: a `Date`, or an ISO 8601 string, which is sent unchanged. Some reports also accept a date without a time. */
export type Instant = string | Date;

export interface ScopeOptions {
  /** Name of the network. Defaults to the first network of the access token; an API key has exactly one network. */
  readonly network?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A time window of at most 31 days. `windows` splits longer periods. */
export interface ReportOptions extends ScopeOptions {
  /** Start, inclusive. */
  readonly from: Instant;
  /** End, exclusive. */
  readonly to: Instant;
  /** Restricts the report to these sites. */
  readonly siteId?: number | readonly number[] | undefined;
}

export const scopeFields = { network: true, signal: true } as const;
export const reportFields = { ...scopeFields, from: true, to: true, siteId: true } as const;

export const formatInstant = (instant: Instant): string =>
  typeof instant === 'string' ? instant : instant.toISOString();

/** Builds the query parameters that all reports have. */
export const reportQuery = ({ from, to, siteId }: ReportOptions) => ({
  from: formatInstant(from),
  to: formatInstant(to),
  ...omitUndefined({ site_id: siteId === undefined ? undefined : [siteId].flat() }),
});

/** Builds the request options that select a network. Its name is percent-encoded, because headers do not allow all characters. */
export const scopeInit = ({ network, signal }: ScopeOptions) => ({
  ...(network !== undefined && { headers: { 'x-network-name': encodeURIComponent(network) } }),
  ...(signal && { signal }),
});

export interface TimeWindow {
  readonly from: string;
  readonly to: string;
}

const maxWindowMs = 31 * 24 * 60 * 60 * 1_000;

/** Splits a period into consecutive windows of at most 31 days, the longest window that a request may cover. */
export function* windows(from: Instant, to: Instant): Generator<TimeWindow> {
  const [fromMs, toMs] = [from, to].map((edge) => new Date(edge).getTime()) as [number, number];
  for (const [name, value, ms] of [
    ['from', from, fromMs],
    ['to', to, toMs],
  ] as const)
    if (Number.isNaN(ms))
      throw new RangeError(`${name} is not a valid time: ${String(value)}; pass a Date or an ISO 8601 string`);
  const text = (ms: number) => new Date(ms).toISOString();
  for (let at = fromMs; at < toMs; at += maxWindowMs)
    yield { from: text(at), to: text(Math.min(at + maxWindowMs, toMs)) };
}

import { omitUndefined } from '../http/api.ts';

/** An instant, or a date where the report accepts one. Text is sent unchanged. */
export type Instant = string | Date;

export interface ScopeOptions {
  /** Name of the network, for clients with several; default: the first of the token. API keys have exactly one. */
  readonly network?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A window of at most 31 days; `windows` splits longer periods. */
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

/** Builds the query parameters that all reports share. */
export const reportQuery = ({ from, to, siteId }: ReportOptions) => ({
  from: formatInstant(from),
  to: formatInstant(to),
  ...omitUndefined({ site_id: siteId === undefined ? undefined : [siteId].flat() }),
});

/** Network names may contain any character, headers may not, so the name is percent-encoded. */
export const scopeInit = ({ network, signal }: ScopeOptions) => ({
  ...(network !== undefined && { headers: { 'x-network-name': encodeURIComponent(network) } }),
  ...(signal && { signal }),
});

export interface TimeWindow {
  readonly from: string;
  readonly to: string;
}

const maxWindowMs = 31 * 24 * 60 * 60 * 1_000;

/** Splits a period into consecutive windows of at most 31 days, the maximum of one request. */
export function* windows(from: Instant, to: Instant): Generator<TimeWindow> {
  const [fromMs, toMs] = [from, to].map((edge) => new Date(edge).getTime()) as [number, number];
  if (Number.isNaN(fromMs + toMs)) throw new RangeError('from and to must be instants');
  const text = (ms: number) => new Date(ms).toISOString();
  for (let at = fromMs; at < toMs; at += maxWindowMs)
    yield { from: text(at), to: text(Math.min(at + maxWindowMs, toMs)) };
}

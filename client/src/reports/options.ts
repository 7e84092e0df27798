import { omitUndefined } from '../http/api.ts';
import { parseInstant } from '../instants.ts';

/** A time: a `Date`, or an ISO 8601 string, which is sent unchanged. Some reports also accept a date without a time. */
export type Instant = string | Date;

export interface ScopeOptions {
  /**
   * Name of a network of the access token. Default: the first network, or all networks for statuses and uptime. With an API key, omit it.
   */
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
  /** Reads the report as it was at this time, which must not be after the `asOf` of the current report. Default: the current report. */
  readonly asOf?: Instant | undefined;
}

export const scopeFields = { network: true, signal: true } as const;
export const reportFields = { ...scopeFields, from: true, to: true, siteId: true, asOf: true } as const;

export const formatInstant = (instant: Instant): string =>
  typeof instant === 'string' ? instant : instant.toISOString();

export const reportQuery = ({ from, to, siteId, asOf }: ReportOptions) => ({
  from: formatInstant(from),
  to: formatInstant(to),
  ...omitUndefined({
    site_id: siteId === undefined ? undefined : [siteId].flat(),
    as_of: asOf === undefined ? undefined : formatInstant(asOf),
  }),
});

/**
 * Builds the request options that select a network. The name of the network is percent-encoded, because headers do not allow all
 * characters.
 */
export const scopeInit = ({ network, signal }: ScopeOptions) => ({
  ...(network !== undefined && { headers: { 'x-network-name': encodeURIComponent(network) } }),
  ...(signal && { signal }),
});

export interface TimeWindow {
  readonly from: string;
  readonly to: string;
}

const maxWindowMs = 31 * 24 * 60 * 60 * 1_000;

const datePattern = /^\d{4}-\d{2}-\d{2}$/;
const beyondMs = /[.,]\d{3}\d*[1-9]/;

/**
 * Parses the start or end of a period. Returns ms since 1970, rounded up, because times of rows have whole ms. Throws a RangeError for an
 * invalid text or Date.
 */
const parseEdge = (name: 'from' | 'to', edge: Instant): number => {
  const text = edge instanceof Date && Number.isNaN(edge.getTime()) ? 'an invalid Date' : formatInstant(edge);
  const ms = parseInstant(datePattern.test(text) ? `${text}T00:00:00Z` : text);
  if (ms === undefined)
    throw new RangeError(`${name} must be an ISO 8601 date or datetime with Z or an offset, or a Date, not ${text}`);
  return beyondMs.test(text) ? ms + 1 : ms;
};

/**
 * Splits a period into consecutive windows of at most 31 days, the longest window that a request may cover. A date alone means midnight in
 * UTC. Throws a RangeError for an invalid time, or if `from` is not before `to`.
 */
export const windows = (from: Instant, to: Instant): Generator<TimeWindow> => {
  const [fromMs, toMs] = [parseEdge('from', from), parseEdge('to', to)];
  if (fromMs >= toMs)
    throw new RangeError(`from must be before to: ${formatInstant(from)} is not before ${formatInstant(to)}`);
  return splitPeriod(fromMs, toMs);
};

function* splitPeriod(fromMs: number, toMs: number): Generator<TimeWindow> {
  const text = (ms: number) => new Date(ms).toISOString();
  for (let at = fromMs; at < toMs; at += maxWindowMs)
    yield { from: text(at), to: text(Math.min(at + maxWindowMs, toMs)) };
}

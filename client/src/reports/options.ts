import { present } from '../http/api.ts';

/** An instant or, where the report takes them, a date: as text, which is sent as it is, or as a Date. */
export type Instant = string | Date;

export interface Scoped {
  /** Name of the network, for clients of several; default: the first of the token. API keys have but one. */
  readonly network?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** At most 31 days: `windows` parts a longer time. */
export interface ReportWish extends Scoped {
  /** Part of the window. */
  readonly from: Instant;
  /** Not part of it. */
  readonly to: Instant;
  /** Only these sites. */
  readonly siteId?: number | readonly number[] | undefined;
}

export const scopeFields = { network: true, signal: true } as const;
export const reportFields = { ...scopeFields, from: true, to: true, siteId: true } as const;

export const instantText = (instant: Instant): string =>
  typeof instant === 'string' ? instant : instant.toISOString();

/** What every report is asked with. */
export const reportQuery = ({ from, to, siteId }: ReportWish) => ({
  from: instantText(from),
  to: instantText(to),
  ...present({ site_id: siteId === undefined ? undefined : [siteId].flat() }),
});

/** Names may hold any letter; headers may not. */
export const scopeInit = ({ network, signal }: Scoped) => ({
  ...(network !== undefined && { headers: { 'x-network-name': encodeURIComponent(network) } }),
  ...(signal && { signal }),
});

export interface TimeWindow {
  readonly from: string;
  readonly to: string;
}

const longestMs = 31 * 24 * 60 * 60 * 1_000;

/** Parts a time into windows that one request may ask for, one after the other: at most 31 days each. */
export function* windows(from: Instant, to: Instant): Generator<TimeWindow> {
  const [fromMs, toMs] = [from, to].map((edge) => new Date(edge).getTime()) as [number, number];
  if (Number.isNaN(fromMs + toMs)) throw new RangeError('from and to must be instants');
  const text = (ms: number) => new Date(ms).toISOString();
  for (let at = fromMs; at < toMs; at += longestMs) yield { from: text(at), to: text(Math.min(at + longestMs, toMs)) };
}

import type { Status } from '@popsvc/contracts/vocabulary';
import { cutSpans, joinSpans, type Span } from '../spans/index.ts';
import { onlineWindowMs } from './liveness.ts';

/** `unknown`: no data shows the status. */
export type TimelineStatus = Status | 'unknown';

export interface StatusSpan extends Span {
  readonly status: TimelineStatus;
}

/** Times are in ms since 1970. */
export interface KnownStatus {
  readonly firstReceivedMs: number | undefined;
  readonly lastReceivedMs: number | undefined;
  /** The time up to which all received heartbeats are known. */
  readonly knownUntilMs: number;
  /** Outages without the periods of backfilled heartbeats; `to` is null while an outage lasts. */
  readonly outages: readonly { readonly from: number; readonly to: number | null }[];
  /** Only those before `firstReceivedMs` matter: `outages` accounts for the later ones. */
  readonly backfilledMs: readonly number[];
}

/** The spans must be sorted and lie within `frame`. */
const divide = (
  frame: Span,
  spans: readonly Span[],
  [inSpan, inGap]: readonly [TimelineStatus, TimelineStatus],
): StatusSpan[] => {
  const divided: StatusSpan[] = [];
  let at = frame.from;
  for (const { from, to } of spans) {
    divided.push({ from: at, to: from, status: inGap }, { from, to, status: inSpan });
    at = to;
  }
  return [...divided, { from: at, to: frame.to, status: inGap }];
};

const joinEqual = (spans: readonly StatusSpan[]): StatusSpan[] => {
  const joined: StatusSpan[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    if (span.from >= span.to) continue;
    if (last?.status === span.status) joined[joined.length - 1] = { ...last, to: span.to };
    else joined.push(span);
  }
  return joined;
};

/**
 * The status is unknown before the first received heartbeat, except in the online window of a backfilled one, and after `knownUntilMs`.
 */
export const statusTimeline = (frame: Span, known: KnownStatus): StatusSpan[] => {
  const { firstReceivedMs, lastReceivedMs, knownUntilMs, outages, backfilledMs } = known;
  const clamp = (ms: number) => Math.max(frame.from, Math.min(frame.to, ms));
  const first = clamp(firstReceivedMs ?? knownUntilMs);
  const end = Math.max(first, clamp(knownUntilMs));
  const [before, after] = [
    { from: frame.from, to: first },
    { from: first, to: end },
  ];
  const lastMs = lastReceivedMs ?? first;
  const offline = [
    // The end of the outage may not be recorded yet.
    ...outages.map(({ from, to }) => ({ from, to: to ?? (lastMs > from ? lastMs : knownUntilMs) })),
    // The outage may not be recorded yet.
    { from: lastMs + onlineWindowMs, to: knownUntilMs },
  ];
  const alive = backfilledMs.map((ms) => ({ from: ms, to: ms + onlineWindowMs }));
  return joinEqual([
    ...divide(before, joinSpans(cutSpans(alive, before)), ['online', 'unknown']),
    ...divide(after, joinSpans(cutSpans(offline, after)), ['offline', 'online']),
    { from: end, to: frame.to, status: 'unknown' },
  ]);
};

import { type EventStatusReport, type EventStatus, maxListedReceipts } from '@popsvc/contracts/responses';
import { instantOf } from '@popsvc/contracts/time';
import type { CoffeeOfPlay, EventFound, PlayReceipt, QuarantinedReceipt, ReceiptOrigin } from './event-found.ts';

type Receipt = EventStatusReport['receipts'][number];
type Placed = { readonly position: string; readonly told: Receipt };

const origin = ({ schema_version, job_id, job_row }: ReceiptOrigin): Partial<Receipt> => ({
  ...(schema_version !== '' && { schemaVersion: schema_version }),
  ...(job_id !== '' && { jobId: job_id, row: job_row }),
});

const times = ({ received_ms, recorded_ms }: PlayReceipt | QuarantinedReceipt) => ({
  receivedAt: instantOf(received_ms),
  recordedAt: instantOf(recorded_ms),
});

const toldPlay = (play: PlayReceipt, before: QuarantinedReceipt | undefined): Receipt => ({
  ...times(play),
  outcome: play.outcome,
  late: play.late === 1,
  clockAhead: play.clock_ahead === 1,
  ...(before && { releasedAt: instantOf(before.tried_ms) }),
  // Receipts of earlier builds do not know it; what they waited as does.
  ...origin(before ?? play),
});

const toldWaiting = (waiting: QuarantinedReceipt): Receipt => ({
  ...times(waiting),
  outcome: 'quarantined',
  late: false,
  clockAhead: false,
  code: waiting.code,
  reason: waiting.reason,
  ...origin(waiting),
});

/** What is a play and what is not yet, in the order of the log; an event that was released is in both and told once. */
const receiptsOf = ({ plays, quarantined }: EventFound): Receipt[] => {
  const before = new Map(quarantined.map((receipt) => [receipt.position, receipt]));
  const isPlay = new Set(plays.map(({ position }) => position));
  const placed: Placed[] = [
    ...plays.map((play) => ({ position: play.position, told: toldPlay(play, before.get(play.position)) })),
    ...quarantined
      .filter(({ position, state }) => state === 'waiting' && !isPlay.has(position))
      .map((waiting) => ({ position: waiting.position, told: toldWaiting(waiting) })),
  ];
  return placed
    .sort((a, b) => (BigInt(a.position) < BigInt(b.position) ? -1 : 1))
    .slice(0, maxListedReceipts)
    .map(({ told }) => told);
};

const countsOf = ({ plays: [first], quarantined: [oldest] }: EventFound): EventStatusReport['counts'] => {
  const { total = 0, conflicts = 0 } = first ?? {};
  const { waiting = 0 } = oldest ?? {};
  const stored = first ? 1 : 0;
  return {
    received: total + waiting,
    stored,
    duplicate: total - stored - conflicts,
    conflict: conflicts,
    quarantined: waiting,
  };
};

const known = (id: number | undefined): number | null => id || null;

const playOf = (first: PlayReceipt, coffee: CoffeeOfPlay | undefined): EventStatusReport['play'] => ({
  playedAt: instantOf(first.played_ms),
  durationMs: first.duration_ms,
  screenId: first.screen_id,
  campaignId: first.campaign_ref,
  creativeId: first.creative_ref,
  playReason: first.play_reason,
  deviceId: known(coffee?.device_id),
  siteId: known(coffee?.site_id),
});

/** What a vendor is told of an event; undefined when nothing of that id is known. */
export const eventFeedback = (eventId: string, found: EventFound): EventStatusReport | undefined => {
  const { plays, quarantined, coffee } = found;
  const [first] = plays;
  if (!first && quarantined.length === 0) return undefined;
  const rows = coffee?.coffee_rows ?? 0;
  const status: EventStatus = !first ? 'quarantined' : rows > 0 ? 'projected' : 'accepted';
  return {
    eventId,
    status,
    counts: countsOf(found),
    receipts: receiptsOf(found),
    ...(first && { play: playOf(first, coffee) }),
    coffeeRows: rows,
    popTypes: [...(coffee?.pop_types ?? [])],
    projectedAt: coffee?.projected_ms ? instantOf(coffee.projected_ms) : null,
  };
};

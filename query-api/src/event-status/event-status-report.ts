import { type EventStatus, type EventStatusReport, maxListedReceipts } from '@popsvc/contracts/responses';
import { instantOf } from '@popsvc/contracts/time';
import type { PlayInCoffee, PlayReceipt, QuarantinedReceipt, ReceiptOrigin } from './event-queries.ts';

/** The rows used to create an event's status report. */
export interface EventRows {
  readonly plays: readonly PlayReceipt[];
  readonly quarantined: readonly QuarantinedReceipt[];
  readonly coffee: PlayInCoffee | undefined;
  /** True if the network's rows are not derived until tomorrow, because it has used its daily budget. */
  readonly isBudgetExhausted?: boolean;
}

/** Creates an event's status report. Returns undefined if the event does not exist. */
export const createEventStatusReport = (eventId: string, rows: EventRows): EventStatusReport | undefined => {
  const { plays, quarantined, coffee } = rows;
  const [first] = plays;
  if (!first && quarantined.length === 0) return undefined;
  const coffeeRows = coffee?.coffee_rows ?? 0;
  const status: EventStatus = !first ? 'quarantined' : coffeeRows > 0 ? 'projected' : 'accepted';
  return {
    eventId,
    status,
    counts: countReceipts(rows),
    receipts: listReceipts(rows),
    ...(first && { play: renderPlay(first, coffee) }),
    unresolved: [...(first?.unresolved ?? [])],
    coffeeRows,
    popTypes: [...(coffee?.pop_types ?? [])],
    projectedAt: coffee?.projected_ms ? instantOf(coffee.projected_ms) : null,
    ...(rows.isBudgetExhausted === true && status === 'accepted' && { waiting: 'derived_row_budget' as const }),
  };
};

const countReceipts = ({
  plays: [firstPlay],
  quarantined: [firstQuarantined],
}: EventRows): EventStatusReport['counts'] => {
  const { total = 0, conflicts = 0 } = firstPlay ?? {};
  const { waiting = 0 } = firstQuarantined ?? {};
  const stored = firstPlay ? 1 : 0;
  return {
    received: total + waiting,
    stored,
    duplicate: total - stored - conflicts,
    conflict: conflicts,
    quarantined: waiting,
  };
};

type Receipt = EventStatusReport['receipts'][number];

/**
 * Lists plays and quarantined receipts in log order. An event that was released from quarantine is in both lists; the result
 * contains it once, as a play.
 */
const listReceipts = ({ plays, quarantined }: EventRows): Receipt[] => {
  const quarantinedAt = new Map(quarantined.map((receipt) => [receipt.sequence, receipt]));
  const playSequences = new Set(plays.map(({ sequence }) => sequence));
  const waiting = quarantined.filter(({ sequence, state }) => state === 'waiting' && !playSequences.has(sequence));
  return [
    ...plays.map((play) => ({
      sequence: BigInt(play.sequence),
      receipt: renderPlayReceipt(play, quarantinedAt.get(play.sequence)),
    })),
    ...waiting.map((receipt) => ({
      sequence: BigInt(receipt.sequence),
      receipt: renderQuarantinedReceipt(receipt),
    })),
  ]
    .sort((a, b) => (a.sequence < b.sequence ? -1 : 1))
    .slice(0, maxListedReceipts)
    .map(({ receipt }) => receipt);
};

const renderPlayReceipt = (play: PlayReceipt, released: QuarantinedReceipt | undefined): Receipt => ({
  ...renderTimes(play),
  outcome: play.outcome,
  late: play.late === 1,
  clockAhead: play.clock_ahead === 1,
  ...(released && { releasedAt: instantOf(released.tried_ms) }),
  // Prefer the origin of the quarantined receipt, because plays that were projected by earlier software versions have none.
  ...renderOrigin(released ?? play),
});

const renderQuarantinedReceipt = (receipt: QuarantinedReceipt): Receipt => ({
  ...renderTimes(receipt),
  outcome: 'quarantined',
  late: false,
  clockAhead: false,
  code: receipt.code,
  reason: receipt.reason,
  ...renderOrigin(receipt),
});

const renderTimes = ({ received_ms, recorded_ms }: PlayReceipt | QuarantinedReceipt) => ({
  receivedAt: instantOf(received_ms),
  recordedAt: instantOf(recorded_ms),
});

const renderOrigin = ({ schema_version, job_id, job_row }: ReceiptOrigin): Partial<Receipt> => ({
  ...(schema_version !== '' && { schemaVersion: schema_version }),
  ...(job_id !== '' && { jobId: job_id, row: job_row }),
});

const renderPlay = (first: PlayReceipt, coffee: PlayInCoffee | undefined): EventStatusReport['play'] => ({
  playedAt: instantOf(first.played_ms),
  durationMs: first.duration_ms,
  screenId: first.screen_id,
  campaignId: first.campaign_ref,
  creativeId: first.creative_ref,
  playReason: first.play_reason,
  contentHash: first.content_hash_hex,
  deviceId: nullIfZero(coffee?.device_id),
  siteId: nullIfZero(coffee?.site_id),
});

const nullIfZero = (id: number | undefined): number | null => id || null;

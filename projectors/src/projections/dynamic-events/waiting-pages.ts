import type { MappingFailureCode } from '@popsvc/domain/mappings';
import type { Range, Steps, TriedAt } from '../../engine/projection.ts';
import type { Group } from './retry-points.ts';
import type { SentEvent } from './sent-event.ts';
import type { Waiting } from './try-mappings.ts';
import { candidateEvents, candidateSizes } from './waiting.sql.ts';

/** An event of the quarantine, as its row has it. */
export interface WaitingEvent {
  readonly sent: SentEvent;
  readonly waiting: Waiting;
  /** Where it was tried last and something changed. */
  readonly triedAt: TriedAt;
  /** Where this batch released it in an earlier life; undefined while it waits. */
  readonly released: TriedAt | undefined;
}

/** Positions after `from`, up to and including `to`. */
export interface Page {
  readonly from: bigint;
  readonly to: bigint;
  readonly events: readonly WaitingEvent[];
}

interface Stored {
  readonly position: string;
  readonly received_ms: number;
  readonly recorded_ms: number;
  readonly tried_position: string;
  readonly tried_ms: number;
  readonly state: 'waiting' | 'released';
  readonly event_id: string;
  readonly code: MappingFailureCode;
  readonly reason: string;
  readonly screens: readonly string[];
  readonly raw: string;
  readonly max_age_days: number | null;
  readonly job_id: string;
  readonly job_row: number;
}

const most = 5_000;
const mostBytes = 8_000_000;

const triedAt = (row: Stored): TriedAt => ({ position: BigInt(row.tried_position), atMs: row.tried_ms });

const waitingEvent = ({ network, vendor, schemaVersion }: Group, row: Stored): WaitingEvent => ({
  sent: {
    source: {
      network_id: network,
      vendor,
      pos: BigInt(row.position),
      received_at: row.received_ms,
      recorded_at: row.recorded_ms,
    },
    schemaVersion,
    event: JSON.parse(row.raw),
    maxAgeDays: row.max_age_days ?? undefined,
    jobId: row.job_id,
    jobRow: row.job_row,
  },
  waiting: { code: row.code, reason: row.reason, eventId: row.event_id, screens: row.screens },
  triedAt: triedAt(row),
  released: row.state === 'released' ? triedAt(row) : undefined,
});

/** Up to where a page goes: as many events as fit, one at least. */
const endOf = (sizes: readonly { position: string; raw_bytes: number }[]): bigint => {
  let bytes = 0;
  const over = sizes.findIndex(({ raw_bytes }) => (bytes += raw_bytes) > mostBytes);
  return BigInt(sizes[over < 0 ? sizes.length - 1 : Math.max(0, over - 1)]!.position);
};

/** The events of a group that may be tried again, page by page: all, or those that wait for one of the screens. */
export async function* waitingPages(
  steps: Steps,
  range: Range,
  group: Group,
  screens?: readonly string[],
): AsyncGenerator<Page> {
  const { generation } = steps;
  const [after, upTo] = [range.after.toString(), range.upTo.toString()];
  const of = { ...group, every: screens ? 0 : 1, screens: screens ?? [], after, upTo };
  for (let from = 0n; ;) {
    const where = { ...of, from: from.toString(), to: upTo };
    const sizes = await steps.rows<{ position: string; raw_bytes: number }>(candidateSizes(generation), {
      ...where,
      most,
    });
    if (sizes.length === 0) return;
    const to = endOf(sizes);
    const rows = await steps.rows<Stored>(candidateEvents(generation), { ...where, to: to.toString() });
    yield { from, to, events: rows.map((row) => waitingEvent(group, row)) };
    from = to;
  }
}

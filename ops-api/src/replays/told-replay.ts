import { instantOf } from '@popsvc/contracts/time';
import type { ReplayRecord } from '@popsvc/platform/postgres';
import type { z } from 'zod';
import type { Replay } from './replays.schemas.ts';

const instant = (at: Date | null) => at && instantOf(at.getTime());

/** A replay as operators are told of it. */
export const toldReplay = (record: ReplayRecord, nowMs: number): z.input<typeof Replay> => {
  const { startedAt, endedAt, events, total, state } = record;
  const ms = startedAt ? Math.max(0, (endedAt?.getTime() ?? nowMs) - startedAt.getTime()) : 0;
  const perSecond = ms > 0 ? (events * 1_000) / ms : 0;
  const left = total === null || state !== 'building' || perSecond === 0 ? null : (total - events) / perSecond;
  return {
    id: record.id,
    name: record.projection,
    kind: record.kind,
    state,
    from_generation: record.from,
    to_generation: record.to,
    position: record.position.toString(),
    target: record.target.toString(),
    events,
    // What came while it was built is folded, too.
    total_events: total === null ? null : Math.max(total, events),
    events_per_second: Math.round(perSecond),
    seconds: Math.round(ms / 100) / 10,
    seconds_left: left === null ? null : Math.max(0, Math.ceil(left)),
    verify: record.verify,
    verified: record.verified,
    step: endedAt === null ? record.step : null,
    accounts: record.accounts && [...record.accounts],
    differences: [...record.differences],
    stood_still_seconds: record.pausedMs / 1_000,
    error: record.error,
    is_cancelling: record.cancelRequestedAt !== null && endedAt === null,
    asked_at: instantOf(record.requestedAt.getTime()),
    started_at: instant(startedAt),
    ended_at: instant(endedAt),
  };
};

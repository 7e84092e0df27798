import { instantOf } from '@popsvc/contracts/time';
import { mostReceipts, type PlayFound, type QuarantinedFound } from './event-receipts.query.ts';

const source = ({ position, received_ms, recorded_ms }: PlayFound | QuarantinedFound) => ({
  position,
  received_at: instantOf(received_ms),
  recorded_at: instantOf(recorded_ms),
});

const toldPlay = (play: PlayFound, once: QuarantinedFound | undefined) => ({
  ...source(play),
  outcome: play.outcome,
  late: play.late === 1,
  clock_ahead: play.clock_ahead === 1,
  ...(once && {
    released_at: instantOf(once.tried_ms),
    released_by_mapping: once.mapping_version,
    waited_because: once.reason,
  }),
});

const toldWaiting = (waiting: QuarantinedFound) => ({
  ...source(waiting),
  outcome: 'quarantined' as const,
  late: false,
  clock_ahead: false,
  schema_version: waiting.schema_version,
  code: waiting.code,
  reason: waiting.reason,
});

/** Receipts of one id and vendor in the order of the log; one that was released stands in both tables and is told once. */
export const receiptsOf = (plays: readonly PlayFound[], quarantined: readonly QuarantinedFound[]) => {
  const once = new Map(quarantined.map((receipt) => [receipt.position, receipt]));
  const isPlay = new Set(plays.map(({ position }) => position));
  const waiting = quarantined.filter(({ position, state }) => state === 'waiting' && !isPlay.has(position));
  return [...plays.map((play) => toldPlay(play, once.get(play.position))), ...waiting.map(toldWaiting)]
    .sort((a, b) => (BigInt(a.position) < BigInt(b.position) ? -1 : 1))
    .slice(0, mostReceipts);
};

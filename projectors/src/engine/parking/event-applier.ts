import { formatItemId } from '@popsvc/contracts/events';
import type { Partition } from '@popsvc/domain/partitioning';
import type { EventStore } from '@popsvc/platform/event-store';
import type { ParkedEvent, SettledParkedEvents } from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/telemetry';
import type { PoisonPolicy } from '../dependencies.ts';
import type { LogItem } from '../log-items.ts';
import type { AppliedAt, Fold, Projection } from '../projection.ts';
import {
  isDecision,
  type ParkingDecisions,
  readDiscardedItems,
  readRetriedItems,
  requireKnownDecision,
} from './decisions.ts';
import { ParkingLimitReached, requireKnownTimeZone, toParkedEvent, UnfoldableEvent } from './parking-errors.ts';
import type { ParkingLimit } from './parking-limit.ts';

/**
 * Applies items to a fold, and decides whether an item that cannot be folded is parked (stored for a retry). An item is applied at its own
 * sequence or, if it was parked, at the sequence of the operator's decision that retries it.
 */
export interface EventApplier {
  /**
   * Applies the items of an event. Returns the items to park. Throws `UnfoldableEvent` if an item cannot be folded and must not be parked:
   * it belongs to a state stream, or the policy is `stop`. Throws `ParkingLimitReached` if it may be parked, but too many items were
   * parked.
   */
  apply(items: readonly LogItem[]): readonly ParkedEvent[];
  /**
   * Returns whether the item is an operator's decision about parked items; false for a decision that is discarded itself. The event of a
   * decision must be a batch of its own. Throws `UnfoldableEvent` if the decision cannot be read, for example because a newer release wrote
   * it: a run that passed the decision would never apply it.
   */
  isDecision(item: LogItem): boolean;
  applyDecision(decision: LogItem): Promise<SettledParkedEvents>;
}

interface EventApplierDependencies {
  readonly store: Pick<EventStore, 'readEventAt'>;
  readonly projection: Projection;
  readonly partition: Partition;
  readonly fold: Fold;
  readonly decisions: ParkingDecisions;
  readonly parkingLimit: ParkingLimit;
  /**
   * True if the projection stopped at its parking limit. Nothing more is parked until an operator resumes the projection, or the event at
   * which it stopped is folded.
   */
  readonly isParkingStopped: boolean;
  readonly poisonPolicy: PoisonPolicy;
  readonly log: Log;
}

export const createEventApplier = ({
  store,
  projection: { name, stateStreams, rowEventTypes },
  partition,
  fold,
  decisions,
  parkingLimit,
  isParkingStopped,
  poisonPolicy,
  log,
}: EventApplierDependencies): EventApplier => {
  /**
   * True once an item of the current event was parked. Its other items that cannot be folded are then parked too, even beyond the limit.
   */
  let mayPark = false;

  /** Folds an item. Also throws if its type must add a row to the open batch and none was added, because the item would be lost. */
  const foldItem = (item: LogItem, at?: AppliedAt): void => {
    requireKnownTimeZone(item);
    const { rows } = fold.pending;
    fold.apply(item, at);
    if (rowEventTypes.includes(item.type) && fold.pending.rows === rows)
      throw new Error('the projection made no row of it');
  };

  const refuse = (item: LogItem, error: unknown): ParkedEvent => {
    // Later events depend on the state that state streams build, so they cannot be applied without an item of these streams.
    if (poisonPolicy === 'stop' || stateStreams.some((prefix) => item.stream.startsWith(prefix)))
      throw new UnfoldableEvent(name, item, error);
    if (!mayPark && (isParkingStopped || parkingLimit.isFull())) throw new ParkingLimitReached(name, item, error);
    mayPark = true;
    parkingLimit.count();
    const { stream, type, sequence } = item;
    const fields = { err: error, projection: name, stream, type, position: formatItemId(sequence) };
    log.error(fields, 'event parked');
    return toParkedEvent(item, error);
  };

  return {
    apply(items) {
      // The limit is checked only for the first bad item of an event. If a run parked only some of the event's items, the next run would
      // repeat the event from its first item. An event with more bad items than the limit would then never be parked.
      mayPark = false;
      const parked: ParkedEvent[] = [];
      for (const item of items)
        if (!decisions.isSkipped(item.sequence, item.sequence))
          try {
            foldItem(item);
          } catch (error) {
            parked.push(refuse(item, error));
          }
      return parked;
    },
    isDecision(item) {
      if (!isDecision(item) || decisions.isSkipped(item.sequence, item.sequence)) return false;
      try {
        requireKnownDecision(item);
        return true;
      } catch (error) {
        throw new UnfoldableEvent(name, item, error);
      }
    },
    async applyDecision(decision) {
      decisions.add(decision);
      const released: bigint[] = [];
      const failed: ParkedEvent[] = [];
      for (const item of await readRetriedItems(store, partition, decisions, decision))
        try {
          foldItem(item, { sequence: decision.sequence, atMs: decision.recordedAtMs });
          released.push(item.sequence);
        } catch (error) {
          if (poisonPolicy === 'stop') throw new UnfoldableEvent(name, item, error);
          failed.push(toParkedEvent(item, error));
        }
      fold.apply(decision);
      decisions.removeRetried(decision);
      return { released, failed, discarded: readDiscardedItems(decision) };
    },
  };
};

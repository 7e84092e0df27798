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

export interface EventApplier {
  /** Returns the items to park. Throws `UnfoldableEvent` or `ParkingLimitReached` if an item must not be parked. */
  apply(items: readonly LogItem[]): readonly ParkedEvent[];
  /**
   * The event of a decision must be a batch of its own. Throws `UnfoldableEvent` if the decision cannot be read: a run that passed it would
   * never apply it.
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
  let mayPark = false;

  /** An item whose type must add a row counts as failed if it adds none, because its data would be lost. */
  const foldItem = (item: LogItem, at?: AppliedAt): void => {
    requireKnownTimeZone(item);
    const { rows } = fold.pending;
    fold.apply(item, at);
    if (rowEventTypes.includes(item.type) && fold.pending.rows === rows)
      throw new Error('the projection made no row of it');
  };

  const refuse = (item: LogItem, error: unknown): ParkedEvent => {
    // Later events depend on the state that these streams build, so their items cannot be skipped.
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
      // The limit applies only to the first bad item of an event. A partly parked event would be repeated from its first item and reach the
      // limit again.
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

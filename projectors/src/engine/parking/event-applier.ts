import { formatItemId } from '@popsvc/contracts/events';
import type { ParkedEvent, SettledParkedEvents } from '@popsvc/platform/postgres';
import type { LogItem } from '../log-items.ts';
import { isDecision, isStateStream, readDiscardedItems, requireKnownDecision } from './decisions.ts';
import { foldItem } from './fold-item.ts';
import {
  createLateEventAppliers,
  describeParkedBefore,
  type LateEventDependencies,
  readRetriedItems,
} from './late-events.ts';
import {
  ParkingLimitReached,
  requireKnownTimeZone,
  toParkedEvent,
  UnfoldableEvent,
  UnknownDecision,
} from './parking-errors.ts';
import type { ParkingLimit } from './parking-limit.ts';

export interface DecisionOutcome {
  /** Sequences of the parked facts that were applied because of the decision. */
  readonly late: readonly bigint[];
  readonly settled: SettledParkedEvents;
}

/**
 * Applies items to a fold. An item is applied at its own sequence or, if it was parked, at the sequence of an operator's later
 * decision. Also decides whether an item that cannot be folded is parked.
 */
export interface EventApplier {
  /**
   * Applies the items of an event. Returns those that must be parked. Throws if an item cannot be folded and the policy forbids
   * parking.
   */
  apply(items: readonly LogItem[]): readonly ParkedEvent[];
  /**
   * Returns true when the item is a decision about parked items. Such an event forms a batch of its own. Throws when a newer
   * software version wrote the decision.
   */
  isDecision(item: LogItem): boolean;
  applyDecision(decision: LogItem): Promise<DecisionOutcome>;
}

interface EventApplierDependencies extends LateEventDependencies {
  readonly parkingLimit: ParkingLimit;
  /**
   * True when the projection has reached its parking limit. No more events are parked until an operator resumes the projection.
   */
  readonly isParkingStopped: boolean;
}

export const createEventApplier = (dependencies: EventApplierDependencies): EventApplier => {
  const { store, projection, partition, fold, skipped, parkingLimit, isParkingStopped, poisonPolicy, log } =
    dependencies;
  const { applyStateItems, applyFacts } = createLateEventAppliers(dependencies);
  const { name } = projection;

  /** True when the items of the current event that cannot be folded are parked even if the limit is reached meanwhile. */
  let mayPark = false;

  const refuse = (item: LogItem, error: unknown): ParkedEvent => {
    if (poisonPolicy === 'stop') throw new UnfoldableEvent(name, item, error);
    if (!mayPark && (isParkingStopped || parkingLimit.isFull())) throw new ParkingLimitReached(name, item, error);
    mayPark = true;
    parkingLimit.count();
    skipped.park(item);
    const { stream, type, sequence } = item;
    const fields = { err: error, projection: name, stream, type, position: formatItemId(sequence) };
    log.error(fields, 'event parked');
    return toParkedEvent(item, error);
  };

  const applyItem = (item: LogItem): ParkedEvent | undefined => {
    if (skipped.isSkipped(item, item.sequence)) return undefined;
    const behind = skipped.findParkedBefore(item);
    if (behind !== undefined) {
      skipped.park(item);
      return { ...toParkedEvent(item, describeParkedBefore(behind)), behind };
    }
    try {
      requireKnownTimeZone(item);
      foldItem(projection, fold, item);
      return undefined;
    } catch (error) {
      return refuse(item, error);
    }
  };

  return {
    apply(items) {
      // The limit is checked once for each event. A run that parked only a part of an event's items would repeat the event from its
      // beginning, and an event with more such items than the limit would never be parked.
      mayPark = false;
      const parked: ParkedEvent[] = [];
      for (const item of items) {
        const parkedItem = applyItem(item);
        if (parkedItem) parked.push(parkedItem);
      }
      return parked;
    },
    isDecision(item) {
      // A decision that was itself parked or discarded is skipped like any other event.
      if (!isDecision(item) || skipped.isSkipped(item, item.sequence)) return false;
      try {
        requireKnownDecision(item);
        return true;
      } catch (error) {
        throw poisonPolicy === 'stop' ? new UnfoldableEvent(name, item, error) : new UnknownDecision(name, item, error);
      }
    },
    async applyDecision(decision) {
      skipped.decisions.add(decision);
      const discarded = readDiscardedItems(decision);
      for (const { sequence } of discarded) skipped.release(sequence);
      const late = await readRetriedItems(store, projection, partition, skipped, decision);
      const stateItems = late.filter(({ stream }) => isStateStream(projection, stream));
      const facts = late.filter(({ stream }) => !isStateStream(projection, stream));
      const failed = [...(await applyStateItems(decision, stateItems)), ...applyFacts(decision, facts)];
      fold.apply(decision);
      const taken = late.filter(({ sequence }) => !failed.some((other) => other.sequence === sequence));
      if (poisonPolicy === 'park') skipped.decisions.removeRetriedFacts(decision);
      return {
        late: taken.filter(({ stream }) => !isStateStream(projection, stream)).map(({ sequence }) => sequence),
        settled: { released: taken.map(({ sequence }) => sequence), failed, discarded },
      };
    },
  };
};

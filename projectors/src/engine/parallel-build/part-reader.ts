import { parkingStream } from '@popsvc/contracts/events';
import type { EventStore, LogEvent } from '@popsvc/platform/event-store';
import { readTimeZones, type ClickHouseWriter } from '@popsvc/platform/clickhouse';
import type { Log } from '@popsvc/platform/telemetry';
import { createParkingLimit, UnfoldableEvent } from '../parking/poison.ts';
import { createSkippedEvents } from '../parking/skipped-events.ts';
import { isDecision, isStateStream, readDecisions, readRetriedEventNames } from '../parking/decisions.ts';
import { createEventApplier, type EventApplier } from '../parking/event-applier.ts';
import type { Fold, Projection } from '../projection.ts';
import { readLogRange } from '../event-log.ts';

export interface PartReaderDependencies {
  readonly store: EventStore;
  readonly writer: ClickHouseWriter;
  readonly log: Log;
  readonly projection: Projection;
}

/** A fold and its event applier; nothing is parked. */
export interface FoldWithApplier {
  readonly fold: Fold;
  readonly intake: EventApplier;
}

export interface PartReader {
  /** Creates an empty fold that receives state events only. */
  createStateFold(signal: AbortSignal): FoldWithApplier;
  /** Returns the fold with the state up to a position. It belongs to the caller until the next call. */
  restoreTo(position: bigint, signal: AbortSignal): Promise<FoldWithApplier>;
  /** Records how far the caller has read with the fold. */
  setPosition(to: bigint): void;
}

/**
 * Creates a reader that moves forward in the log with one fold, so that the state streams are read once and not for
 * each part.
 */
export const createPartReader = async ({
  store,
  writer,
  log,
  projection,
}: PartReaderDependencies): Promise<PartReader> => {
  const { name, recalls } = projection;
  const [decisions, timeZones] = [await readDecisions(store, projection), await readTimeZones(writer)];
  const [parkingLimit, skipped] = [createParkingLimit(0), createSkippedEvents(projection, decisions)];
  const prefixes = [...recalls, parkingStream(name)];

  const fresh = (signal: AbortSignal, isOfStateOnly = false): FoldWithApplier => {
    const fold = projection.createFold();
    const of = { store, projection, fold, skipped, timeZones, parkingLimit, log, signal };
    return {
      fold,
      intake: createEventApplier({ ...of, isParkingStopped: false, stateOnly: isOfStateOnly, poisonPolicy: 'stop' }),
    };
  };

  /**
   * Returns true when the decision retries state events that were skipped before it: then the state must be restored
   * from the start.
   */
  const isBehind = (event: LogEvent) => {
    try {
      return readRetriedEventNames(event).some(({ stream }) => isStateStream(projection, stream));
    } catch (error) {
      throw new UnfoldableEvent(name, event, error);
    }
  };

  let current: FoldWithApplier | undefined;
  let readUpTo = 0n;
  const recallTo = async (position: bigint, signal: AbortSignal): Promise<FoldWithApplier> => {
    const { fold, intake } = (current ??= fresh(signal));
    if (recalls.length > 0 && readUpTo < position)
      for await (const event of readLogRange(store, { after: readUpTo, upTo: position, prefixes }, signal)) {
        if (isDecision(event)) {
          if (readUpTo === 0n || skipped.isSkipped(event, event.position) || !isBehind(event)) continue;
          [current, readUpTo] = [undefined, 0n];
          return recallTo(position, signal);
        }
        if (skipped.isSkipped(event, position)) continue;
        try {
          fold.restore(event);
        } catch (error) {
          throw new UnfoldableEvent(name, event, error);
        }
      }
    signal.throwIfAborted();
    readUpTo = position;
    return { fold, intake };
  };

  return {
    createStateFold: (signal) => fresh(signal, true),
    restoreTo(position, signal) {
      if (position < readUpTo) [current, readUpTo] = [undefined, 0n];
      return recallTo(position, signal);
    },
    setPosition: (to) => void (readUpTo = to),
  };
};

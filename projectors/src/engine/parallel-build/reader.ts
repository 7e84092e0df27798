import { parkingStream } from '@popsvc/contracts/events';
import type { EventStore, LogEvent } from '@popsvc/platform/event-store';
import { readTimeZones, type ClickHouseWriter } from '@popsvc/platform/clickhouse';
import type { Log } from '@popsvc/platform/telemetry';
import { parkingAlarm } from '../parking/alarm.ts';
import { createAside } from '../parking/aside.ts';
import { isDecision, readDecisions, retriedBy } from '../parking/decisions.ts';
import { createIntake, type Intake } from '../parking/intake.ts';
import { isOfState } from '../parking/is-of-state.ts';
import { PoisonMet } from '../parking/poison.ts';
import type { Fold, Projection } from '../projection.ts';
import { logged } from '../logged.ts';

export interface ReaderParts {
  readonly store: EventStore;
  readonly writer: ClickHouseWriter;
  readonly log: Log;
  readonly projection: Projection;
}

/** A fold, and what lets events into it; none is set aside. */
export interface Taking {
  readonly fold: Fold;
  readonly intake: Intake;
}

export interface Reader {
  /** A fold that knows nothing yet, and is not to know facts. */
  ofState(signal: AbortSignal): Taking;
  /** The fold as it is when everything up to a position was read; the reader's own until it is asked for the next time. */
  at(position: bigint, signal: AbortSignal): Promise<Taking>;
  /** Says that the fold was taken further. */
  moved(to: bigint): void;
}

/** Goes forward in the log with one fold, so that what it must recall is read once and not for each part. */
export const createReader = async ({ store, writer, log, projection }: ReaderParts): Promise<Reader> => {
  const { name, recalls } = projection;
  const [decisions, zones] = [await readDecisions(store, projection), await readTimeZones(writer)];
  const [alarm, aside] = [parkingAlarm(0), createAside(projection, decisions)];
  const prefixes = [...recalls, parkingStream(name)];

  const fresh = (signal: AbortSignal, isOfStateOnly = false): Taking => {
    const fold = projection.start();
    const of = { store, projection, fold, aside, zones, alarm, log, signal };
    return { fold, intake: createIntake({ ...of, isStopped: false, isOfStateOnly, poison: 'stop' }) };
  };

  /** Whether something that was passed over further back is asked for here: then the fold learns it all anew. */
  const isBehind = (event: LogEvent) => {
    try {
      return retriedBy(event).some(({ stream }) => isOfState(projection, stream));
    } catch (error) {
      throw new PoisonMet(name, event, error);
    }
  };

  let taking: Taking | undefined;
  let stands = 0n;
  const recallTo = async (position: bigint, signal: AbortSignal): Promise<Taking> => {
    const { fold, intake } = (taking ??= fresh(signal));
    if (recalls.length > 0 && stands < position)
      for await (const event of logged(store, { after: stands, upTo: position, prefixes }, signal)) {
        if (isDecision(event)) {
          if (stands === 0n || aside.keeps(event, event.position) || !isBehind(event)) continue;
          [taking, stands] = [undefined, 0n];
          return recallTo(position, signal);
        }
        if (aside.keeps(event, position)) continue;
        try {
          fold.recall(event);
        } catch (error) {
          throw new PoisonMet(name, event, error);
        }
      }
    signal.throwIfAborted();
    stands = position;
    return { fold, intake };
  };

  return {
    ofState: (signal) => fresh(signal, true),
    at(position, signal) {
      if (position < stands) [taking, stands] = [undefined, 0n];
      return recallTo(position, signal);
    },
    moved: (to) => void (stands = to),
  };
};

import type { EventStore, LogEvent } from '@popsvc/platform/event-store';
import type { EventApplier } from './parking/intake.ts';
import { type SilenceTimeout, failWhenSilent } from './unless-silent.ts';

export interface LogRange {
  /** Positions after it, up to and including `upTo`. */
  readonly after: bigint;
  readonly upTo: bigint;
  readonly prefixes: readonly string[];
}

/** Events of a stretch of the log. Ends early with the signal; throws when the log falls silent. */
export async function* readLogRange(
  store: Pick<EventStore, 'subscribe'>,
  { after, ...stretch }: LogRange,
  signal: AbortSignal,
  patience?: SilenceTimeout,
): AsyncGenerator<LogEvent> {
  const follow = (ending: AbortSignal) =>
    store.subscribe({ after: after === 0n ? 'start' : after, ...stretch, signal: ending });
  for await (const followed of failWhenSilent(follow, signal, patience))
    if (followed.kind === 'event') yield followed.event;
}

/** Takes an event, or those it decides about: these must be waited for. */
export const applyOrDecide = (intake: EventApplier, event: LogEvent): Promise<unknown> | undefined => {
  if (intake.isDecision(event)) return intake.applyDecision(event);
  intake.apply(event);
  return undefined;
};

import type { EventStore, LogEvent } from '@popsvc/platform/event-store';
import type { Intake } from './parking/intake.ts';
import { type Patience, unlessSilent } from './unless-silent.ts';

export interface Stretch {
  /** Positions after it, up to and including `upTo`. */
  readonly after: bigint;
  readonly upTo: bigint;
  readonly prefixes: readonly string[];
}

/** Events of a stretch of the log. Ends early with the signal; throws when the log falls silent. */
export async function* logged(
  store: Pick<EventStore, 'subscribe'>,
  { after, ...stretch }: Stretch,
  signal: AbortSignal,
  patience?: Patience,
): AsyncGenerator<LogEvent> {
  const follow = (ending: AbortSignal) =>
    store.subscribe({ after: after === 0n ? 'start' : after, ...stretch, signal: ending });
  for await (const followed of unlessSilent(follow, signal, patience))
    if (followed.kind === 'event') yield followed.event;
}

/** Takes an event, or those it decides about: these must be waited for. */
export const letIn = (intake: Intake, event: LogEvent): Promise<unknown> | undefined => {
  if (intake.isDecision(event)) return intake.decide(event);
  intake.take(event);
  return undefined;
};

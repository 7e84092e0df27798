import { UnfoldableEvent } from '../parking/poison.ts';
import type { LogCounts } from './count-log.ts';

/** What is asked of a process: that it builds, or that it counts events of the log; positions as text. */
export type ProcessRequest =
  | { readonly projection: string; readonly generation: number }
  | { readonly prefixes: readonly string[]; readonly upTo: string };

interface ProcessFailure {
  readonly message: string;
  /** The event that cannot be folded, if that is why; its position as text. */
  readonly poison?: {
    readonly position: string;
    readonly stream: string;
    readonly type: string;
    readonly reason: string;
  };
}

/** What it says in the end; and on the way, how many events it has counted. */
export type ProcessMessage =
  | { readonly done: true; readonly counts?: LogCounts }
  | { readonly failed: ProcessFailure }
  | { readonly counted: number };

export const toFailureMessage = (error: unknown): ProcessMessage => {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof UnfoldableEvent)) return { failed: { message } };
  const { event, reason } = error;
  return { failed: { message, poison: { ...event, position: event.position.toString(), reason } } };
};

/** The error as it was on the other side, as far as it matters which it is. */
export const toError = (projection: string, { message, poison }: ProcessFailure): Error =>
  poison
    ? new UnfoldableEvent(projection, { ...poison, position: BigInt(poison.position) }, poison.reason)
    : new Error(message);

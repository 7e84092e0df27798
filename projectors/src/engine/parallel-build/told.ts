import { PoisonMet } from '../parking/poison.ts';
import type { LogCounts } from './count-log.ts';

/** What is asked of a process: that it builds, or that it counts events of the log; positions as text. */
export type Asked =
  | { readonly projection: string; readonly generation: number }
  | { readonly prefixes: readonly string[]; readonly upTo: string };

interface Failed {
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
export type Told =
  { readonly done: true; readonly counts?: LogCounts } | { readonly failed: Failed } | { readonly counted: number };

export const failedBy = (error: unknown): Told => {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof PoisonMet)) return { failed: { message } };
  const { event, reason } = error;
  return { failed: { message, poison: { ...event, position: event.position.toString(), reason } } };
};

/** The error as it was on the other side, as far as it matters which it is. */
export const errorOf = (projection: string, { message, poison }: Failed): Error =>
  poison
    ? new PoisonMet(projection, { ...poison, position: BigInt(poison.position) }, poison.reason)
    : new Error(message);

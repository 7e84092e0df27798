import type { SubscribeOptions } from '@popsvc/platform/event-store';

/** Whether it is `prefixes`, the very list, that is followed, and on and on: who says where to end is held up by nobody. */
export const isMainSubscription =
  (prefixes: readonly string[]) =>
  (asked: SubscribeOptions): boolean =>
    asked.prefixes === prefixes && asked.upTo === undefined;

import { streamPrefixesOf, streamPrefixes } from '@popsvc/contracts/events';
import { type LeasedSubscriptionDependencies, subscribeWithLease } from '../follow-held.ts';
import type { Consumer } from '../port.ts';
import { putMessages } from './messages.ts';

const [maxEvents, maxWaitMs] = [500, 5];

export interface Filled {
  readonly consumer: Consumer;
  readonly firstDelayMs: number;
  readonly onNews: () => void;
}

/** One process at a time, whichever, puts down what a consumer wants, in one transaction with how far it has read. */
export const fill = (
  parts: LeasedSubscriptionDependencies,
  { consumer: { name, types, prefixes = streamPrefixesOf(types) }, firstDelayMs, onNews }: Filled,
  signal: AbortSignal,
): Promise<void> => {
  const task = {
    name: `bus:${name}`,
    // Probes move the position on where little happens.
    prefixes: [...prefixes, streamPrefixes.probe],
    maxEvents,
    maxWaitMs,
    onMoved: onNews,
  };
  const isWanted = ({ type }: { type: string }) => types.includes(type);
  return subscribeWithLease(
    parts,
    { ...task, inTransaction: (client, events) => putMessages(client, name, events.filter(isWanted), firstDelayMs) },
    signal,
  );
};

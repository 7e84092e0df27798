import type { LogEvent } from '@popsvc/platform/event-store';

/** Where a fact comes from. Throws when the event carries no network or vendor: such an event is not ours to project. */
export const sourceOf = ({ metadata, position, recordedAtMs }: LogEvent) => {
  const { network, vendor, receivedAt } = metadata;
  if (network === undefined || vendor === undefined) throw new Error('the event names no network or vendor');
  return {
    network_id: network,
    vendor,
    pos: position,
    received_at: Date.parse(receivedAt),
    recorded_at: recordedAtMs,
  };
};

export type Source = ReturnType<typeof sourceOf>;

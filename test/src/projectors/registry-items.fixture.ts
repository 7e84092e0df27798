import { type RegistryChange, registryTypeOf } from '@popsvc/contracts/events';
import type { RegistryKind } from '@popsvc/contracts/registry';
import type { LogItem } from '@popsvc/projectors/engine';

/** Creates a function that makes items of registry events, each with the next sequence. */
export const createRegistryItems = () => {
  let sequence = 0n;
  return (kind: RegistryKind, change: RegistryChange, data: object): LogItem => {
    sequence += 1n;
    return {
      eventId: '',
      type: registryTypeOf(kind, change),
      data,
      metadata: { schemaVersion: 1, receivedAt: '2026-08-20T14:00:00.000Z' },
      stream: '',
      revision: 0n,
      sequence,
      recordedAtMs: Date.parse('2026-08-20T14:00:00Z') + Number(sequence),
    };
  };
};

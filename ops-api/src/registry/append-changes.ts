import { randomUUID } from 'node:crypto';
import { ApiError } from '@popsvc/contracts/errors';
import { findEventDefinition, registryStream } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import type { PlannedChange } from '@popsvc/domain/registry';
import { type EventStore, type NewEvent, WrongExpectedVersion } from '@popsvc/platform/event-store';
import { appendAgain } from '../append-again.ts';
import type { KnownRegistry } from './registry-log.ts';
import { type EntityChanges, wavesOf } from './waves.ts';

const sideBySide = 32;

/**
 * Appends planned changes, one append an entity, each only where its stream still stands as the plan saw it. What others
 * refer to is in the log before those others, so that the same file completes a registry that was left midway.
 */
export const appendChanges = async (
  store: Pick<EventStore, 'append'>,
  { expected }: KnownRegistry,
  changes: readonly PlannedChange[],
  requestId: string,
): Promise<void> => {
  const receivedAt = instantOf(Date.now());
  const eventOf = ({ type, data }: PlannedChange): NewEvent => ({
    id: randomUUID(),
    type,
    data,
    metadata: { schemaVersion: findEventDefinition(type)?.version ?? 1, receivedAt, requestId },
  });

  const append = async ({ kind, key, steps }: EntityChanges) => {
    const stream = registryStream(kind, key);
    const events = steps.map(eventOf);
    try {
      await appendAgain(store, stream, events, expected(stream));
    } catch (error) {
      if (error instanceof WrongExpectedVersion)
        throw new ApiError('CONFLICT', 'The registry was changed by somebody else meanwhile; apply the file again.');
      throw error;
    }
  };

  for (const wave of wavesOf(changes))
    for (let at = 0; at < wave.length; at += sideBySide) await Promise.all(wave.slice(at, at + sideBySide).map(append));
};

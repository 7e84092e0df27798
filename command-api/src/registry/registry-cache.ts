import { MappingRegistered, streamPrefixes } from '@popsvc/contracts/events';
import { emptyMappings, foldMappingEvent, type Mappings } from '@popsvc/domain/mappings';
import { currentEntity, emptyRegistry, isRetired, type Registry } from '@popsvc/domain/registry';
import type { ApiKeyPrincipal, RetiredSender } from '@popsvc/http-kit/auth';
import type { EventStore, LogEvent } from '@popsvc/platform/event-store';
import { retryUntilAborted } from '@popsvc/platform/message-bus';
import { applyRegistryEvent } from '@popsvc/platform/registry';
import type { Log } from '@popsvc/platform/telemetry';

export interface RegistryCache {
  readonly registry: Registry;
  readonly mappings: Mappings;
  isReady(): boolean;
  /** Rejects while the cache is catching up: after the start, and after the subscription has failed. */
  requireReady(): Promise<void>;
  /** Resolves with false if the event at this log position is not applied within `timeoutMs`. */
  waitForPosition(position: bigint, timeoutMs: number): Promise<boolean>;
  stop(): void;
}

const pollIntervalMs = 10;

export const startRegistryCache = (store: Pick<EventStore, 'subscribe'>, log: Log): RegistryCache => {
  const registry = emptyRegistry();
  const mappings = emptyMappings();
  let lastPosition: bigint | 'start' = 'start';
  let isCaughtUp = false;
  const stopped = new AbortController();
  let subscription = new AbortController();

  const applyEvents = async (signal: AbortSignal) => {
    const prefixes = [streamPrefixes.registry, streamPrefixes.mapping];
    const messages = store.subscribe({ after: lastPosition, prefixes, signal });
    for await (const message of messages) {
      if (message.kind === 'caught-up') isCaughtUp = true;
      else {
        if (message.event.type === MappingRegistered.type) applyMapping(mappings, message.event, log);
        else applyRegistryEvent(registry, message.event, log);
        lastPosition = message.event.position;
      }
    }
  };

  const subscribe = async () => {
    subscription = new AbortController();
    try {
      await applyEvents(AbortSignal.any([stopped.signal, subscription.signal]));
    } finally {
      isCaughtUp = false;
    }
  };
  const task = 'subscribe to the registry and the mappings';
  void retryUntilAborted({ task, log, signal: stopped.signal }, subscribe);

  return {
    registry,
    isReady: () => isCaughtUp,
    mappings,
    requireReady: () =>
      isCaughtUp ? Promise.resolve() : Promise.reject(new Error('the registry is still being read')),
    async waitForPosition(position, timeoutMs) {
      const giveUpAt = performance.now() + timeoutMs;
      while (lastPosition === 'start' || lastPosition < position) {
        if (performance.now() > giveUpAt) {
          // The subscription may be broken. A new one continues after the last applied event.
          subscription.abort();
          return false;
        }
        await new Promise((resolve) => setTimeout(resolve, pollIntervalMs));
      }
      return true;
    },
    stop: () => stopped.abort(),
  };
};

/** Skips a mapping that cannot be read, because an error would stop the subscription. */
const applyMapping = (mappings: Mappings, event: LogEvent, log: Log): void => {
  const err = foldMappingEvent(mappings, event);
  if (err !== undefined)
    log.warn(
      { err, stream: event.stream, position: event.position.toString() },
      'failed to read mapping; it is skipped',
    );
};

export const createRetiredSenders =
  (registry: Registry) =>
  ({ network, vendor }: ApiKeyPrincipal): RetiredSender => {
    const [networkEntity, vendorEntity] = [
      currentEntity(registry, 'networks', String(network)),
      currentEntity(registry, 'vendors', vendor),
    ];
    return {
      network: networkEntity !== undefined && isRetired(networkEntity),
      vendor: vendorEntity !== undefined && isRetired(vendorEntity),
    };
  };

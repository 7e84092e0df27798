import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '@popsvc/contracts/errors';
import { findEventDefinition, registryEventType, registryStream } from '@popsvc/contracts/events';
import type { RegistryFile, RegistryKind } from '@popsvc/contracts/registry';
import { instantOf } from '@popsvc/contracts/time';
import { outcomeOf, type PlannedChange, planRegistry } from '@popsvc/domain/registry';
import { type EventStore, type NewEvent, WrongExpectedVersion } from '@popsvc/platform/event-store';
import { lockKeys, type Postgres, tryWithLock } from '@popsvc/platform/postgres';
import { appendEvents } from '../requests/append-events.ts';
import type { KnownRegistry, RegistryLog } from './registry-log.ts';

export interface RegistryDependencies {
  readonly store: EventStore;
  readonly postgres: Postgres;
}

interface EntityChanges {
  readonly kind: RegistryKind;
  readonly key: string;
  readonly isNew: boolean;
  readonly steps: readonly PlannedChange[];
}

const byEntity = (changes: readonly PlannedChange[]): EntityChanges[] => {
  const entities = new Map<string, PlannedChange[]>();
  for (const change of changes) {
    const id = `${change.kind} ${change.key}`;
    entities.set(id, [...(entities.get(id) ?? []), change]);
  }
  return [...entities.values()].map((steps) => {
    const { kind, key, before } = steps[0]!;
    return { kind, key, isNew: before === undefined, steps };
  });
};

/**
 * The appends of one batch may run concurrently. Existing entities stay in the order of the plan, because a device must take over a
 * screen before another device gives it up.
 */
const groupIntoBatches = (changes: readonly PlannedChange[]): readonly (readonly EntityChanges[])[] => {
  const batches: EntityChanges[][] = [];
  for (const entity of byEntity(changes)) {
    const batch = batches.at(-1);
    const first = batch?.[0];
    if (batch && first?.kind === entity.kind && first.isNew && entity.isNew) batch.push(entity);
    else batches.push([entity]);
  }
  return batches;
};

const maxConcurrentAppends = 32;

/**
 * Call this synchronously after planning, before the registry is read again. Entities precede those that refer to them, so after a
 * crash the same file completes the changes.
 */
const appendRegistryChanges = async (
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

  const streamOf = ({ kind, key }: Pick<PlannedChange, 'kind' | 'key'>) => registryStream(kind, key);
  const planned = new Map(changes.map(streamOf).map((stream) => [stream, expected(stream)]));

  const append = async (entity: EntityChanges) => {
    const stream = streamOf(entity);
    const events = entity.steps.map(eventOf);
    try {
      await appendEvents(store, stream, events, planned.get(stream)!);
    } catch (error) {
      if (error instanceof WrongExpectedVersion)
        throw new ApiError('CONFLICT', 'The registry was changed concurrently; apply the file again.');
      throw error;
    }
  };

  for (const batch of groupIntoBatches(changes))
    for (let at = 0; at < batch.length; at += maxConcurrentAppends)
      await Promise.all(batch.slice(at, at + maxConcurrentAppends).map(append));
};

interface FieldChange {
  readonly from: unknown;
  readonly to: unknown;
}

const fieldsOf = (before: object, after: object): Readonly<Record<string, FieldChange>> => {
  const [from, to] = [before, after] as [Record<string, unknown>, Record<string, unknown>];
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  return Object.fromEntries(
    names
      .filter((name) => !isDeepStrictEqual(from[name], to[name]))
      .map((name) => [name, { from: from[name] ?? null, to: to[name] ?? null }]),
  );
};

const describeChange = ({ kind, key, type, data, before }: PlannedChange) => {
  const change = outcomeOf(registryEventType(type)?.change ?? 'Changed', before !== undefined);
  return { kind, key, change, fields: fieldsOf(before ?? {}, data) };
};

interface ApplyOptions {
  readonly dryRun: boolean;
  /** Accepts thresholds that take effect in the past. */
  readonly restate: boolean;
  readonly requestId: string;
}

/** All processes together apply one file at a time, because two files that are valid separately may together violate a rule. */
export const createRegistryApplier = ({ store, postgres }: RegistryDependencies, registryLog: RegistryLog) => {
  let applying: Promise<unknown> = Promise.resolve();

  const planAndAppend = async (file: RegistryFile, { dryRun, restate, requestId }: ApplyOptions) => {
    const before = await registryLog.readCurrent();
    const { changes, counts } = planRegistry(before.registry, file, { nowMs: Date.now(), restate });
    if (!dryRun) await appendRegistryChanges(store, before, changes, requestId);
    return { ...counts, dry_run: dryRun, changes: changes.map(describeChange) };
  };

  return async (file: RegistryFile, options: ApplyOptions) => {
    const next = applying.then(() => tryWithLock(postgres, lockKeys.registry, () => planAndAppend(file, options)));
    applying = next.catch(() => undefined);
    const outcome = await next;
    if (!outcome)
      throw new ApiError('UNAVAILABLE', 'Another process is applying a registry file; try again.', {
        retryAfterSeconds: 2,
      });
    return outcome.done;
  };
};

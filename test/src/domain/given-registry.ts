import { ApiError } from '@popsvc/contracts/errors';
import { type RegistryChange, registryTypeOf } from '@popsvc/contracts/events';
import { RegistryFile, type RegistryKind, registryKinds } from '@popsvc/contracts/registry';
import {
  emptyRegistry,
  foldRegistry,
  type PlannedChange,
  planRegistry,
  type PlanOptions,
  type Registry,
} from '@popsvc/domain/registry';
import { expect } from 'chai';

export const at = (text: string): number => Date.parse(text);

/** When registry files are applied in tests. */
const nowMs = at('2026-06-01T00:00:00.000Z');

/** An event of an entity; `atMs` is when it was appended. */
export interface EntityEvent {
  readonly kind: RegistryKind;
  readonly change: RegistryChange;
  readonly data: unknown;
  readonly atMs: number;
}

const createEventOf =
  (change: RegistryChange) =>
  (kind: RegistryKind, entity: object, appended = '2026-01-01T00:00:00.000Z'): EntityEvent => ({
    kind,
    change,
    data: registryKinds[kind].schema.parse(entity),
    atMs: at(appended),
  });

export const registered = createEventOf('Registered');
export const changed = createEventOf('Changed');
export const retired = createEventOf('Retired');

/** Folds events to a registry; positions begin at `from`. */
export const history = (events: readonly EntityEvent[], registry: Registry = emptyRegistry(), from = 1): Registry => {
  events.forEach(({ kind, change, data, atMs }, index) =>
    foldRegistry(registry, { type: registryTypeOf(kind, change), data, atMs, position: from + index }),
  );
  return registry;
};

/** A registry file of an operator; missing lists are empty. */
export type WrittenFile = Partial<Record<RegistryKind, object[]>>;

type Expected = readonly [type: string, key: string, data: object];

/** given(events).when(a file is applied).then(exactly these events in order). */
export const given = (...events: readonly EntityEvent[]) => ({
  when: (file: WrittenFile, options: Partial<PlanOptions> = {}) => {
    const plan = () => planRegistry(history(events), RegistryFile.parse(file), { nowMs, ...options });
    const written = ({ type, key, data }: PlannedChange): Expected => [type, key, data];
    return {
      plan,
      then: (...expected: readonly Expected[]) => expect(plan().changes.map(written)).to.deep.equal(expected),
      thenNotRefused: () => expect(plan().changes).to.not.be.empty,
      thenNothing: () => expect(plan().changes).to.deep.equal([]),
      thenRefused: (...problems: readonly (readonly [path: string, message: string])[]) => {
        let refusal: unknown;
        try {
          plan();
        } catch (error) {
          refusal = error;
        }
        if (!(refusal instanceof ApiError)) throw new Error('It was not refused', { cause: refusal });
        expect(refusal.code).to.equal('INVALID_REQUEST');
        expect(refusal.details.map(({ path, message }) => [path, message])).to.deep.equal(problems);
      },
    };
  },
});

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

/** When the files of the stories are applied. */
export const nowMs = at('2026-06-01T00:00:00.000Z');

/** Something the log told of an entity; `atMs` is when it was appended. */
export interface Told {
  readonly kind: RegistryKind;
  readonly change: RegistryChange;
  readonly data: unknown;
  readonly atMs: number;
}

const tell =
  (change: RegistryChange) =>
  (kind: RegistryKind, entity: object, appended = '2026-01-01T00:00:00.000Z'): Told => ({
    kind,
    change,
    data: registryKinds[kind].schema.parse(entity),
    atMs: at(appended),
  });

export const registered = tell('Registered');
export const changed = tell('Changed');
export const retired = tell('Retired');

/** The registry as the log told it; positions count from the one given. */
export const history = (told: readonly Told[], registry: Registry = emptyRegistry(), from = 1): Registry => {
  told.forEach(({ kind, change, data, atMs }, index) =>
    foldRegistry(registry, { type: registryTypeOf(kind, change), data, atMs, position: from + index }),
  );
  return registry;
};

/** A file as an operator may write it: what is missing is empty. */
export type WrittenFile = Partial<Record<RegistryKind, object[]>>;

type Expected = readonly [type: string, key: string, data: object];

/** given(what the log told).when(a file is applied).then(these events, whole and in order). */
export const given = (...told: readonly Told[]) => ({
  when: (file: WrittenFile, options: Partial<PlanOptions> = {}) => {
    const plan = () => planRegistry(history(told), RegistryFile.parse(file), { nowMs, ...options });
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

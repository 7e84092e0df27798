import { isDeepStrictEqual } from 'node:util';
import { registryEventType } from '@popsvc/contracts/events';
import type { PlannedChange } from '@popsvc/domain/registry';

/** A field from what to what; null where it is not given. */
export interface FieldChange {
  readonly from: unknown;
  readonly to: unknown;
}

const changeWords = { Registered: 'created', Changed: 'changed', Retired: 'retired' } as const;

const fieldsOf = (before: object, after: object): Readonly<Record<string, FieldChange>> => {
  const [from, to] = [before, after] as [Record<string, unknown>, Record<string, unknown>];
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  return Object.fromEntries(
    names
      .filter((name) => !isDeepStrictEqual(from[name], to[name]))
      .map((name) => [name, { from: from[name] ?? null, to: to[name] ?? null }]),
  );
};

/** A planned change as operators read it. */
export const toldChange = ({ kind, key, type, data, before = {} as PlannedChange['data'] }: PlannedChange) => {
  const change = changeWords[registryEventType(type)?.change ?? 'Changed'];
  return { kind, key, change, fields: fieldsOf(before, data) };
};

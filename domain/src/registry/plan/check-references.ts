import type { ApiErrorDetail } from '@popsvc/contracts/errors';
import { type EntityOf, registryKinds, type RegistryKind } from '@popsvc/contracts/registry';
import { isRetired } from '../life.ts';
import { currentEntity, networkOf } from '../look-ups.ts';
import { type EntityLookup, networkVia, references, referred } from '../references.ts';
import type { RegistryDraft, DraftItem } from './draft.ts';

const named = (kind: RegistryKind, id: number): string => `${registryKinds[kind].stem} ${id}`;

/** A reference that stood before may go on after its target is retired; a new one may not be made. */
const stood = ({ stored }: DraftItem, field: string, id: number): boolean =>
  stored !== undefined && !isRetired(stored) && referred(stored, field) === id;

/** What an entity refers to must be there, in the file or in the registry, and not be retired. */
export const checkReferences = ({ items, lookup: lookup }: RegistryDraft): ApiErrorDetail[] =>
  items.flatMap((item) =>
    references[item.kind].flatMap(({ field, kind }) => {
      const id = referred(item.requested, field);
      if (id === undefined) return [];
      const path = `${item.path}.${field}`;
      const target = lookup(kind, String(id));
      if (!target) return [{ path, message: `there is no ${named(kind, id)}` }];
      if (isRetired(target) && !isRetired(item.requested) && !stood(item, field, id))
        return [{ path, message: `${named(kind, id)} is retired` }];
      return [];
    }),
  );

/** Nothing moves to another network; so what the registry knows tells its network whatever the file says of it. */
export const networkInDraft = (
  draft: RegistryDraft,
  kind: RegistryKind,
  told: EntityOf<RegistryKind>,
): number | undefined => {
  const look: EntityLookup = (of, key) => currentEntity(draft.registry, of, key) ?? draft.lookup(of, key);
  return networkVia(look, kind, told);
};

export const checkHomes = (draft: RegistryDraft): ApiErrorDetail[] =>
  draft.items.flatMap(({ kind, path, requested: requested, stored }) => {
    const [home] = references[kind];
    const before = stored && networkOf(draft.registry, kind, stored);
    const after = networkInDraft(draft, kind, requested);
    if (!home || before === undefined || after === undefined || before === after) return [];
    return [{ path: `${path}.${home.field}`, message: `must stay in network ${before}` }];
  });

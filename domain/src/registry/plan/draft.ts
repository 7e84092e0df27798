import type { ApiErrorDetail } from '@popsvc/contracts/errors';
import { type EntityOf, registryKindNames, type RegistryFile, type RegistryKind } from '@popsvc/contracts/registry';
import { type EntityLookup, networkVia, registryKey, normalizeEntity } from '../entities.ts';
import { currentEntity, type Registry } from '../registry.ts';

export interface DraftItem<Kind extends RegistryKind = RegistryKind> {
  readonly kind: Kind;
  readonly key: string;
  /** Path of the entity in the file, such as `devices[3]`. */
  readonly path: string;
  readonly requested: EntityOf<Kind>;
  readonly stored: EntityOf<Kind> | undefined;
}

export interface RegistryDraft {
  readonly registry: Registry;
  readonly items: readonly DraftItem[];
  readonly lookup: EntityLookup;
  readonly itemsOf: <Kind extends RegistryKind>(kind: Kind) => readonly DraftItem<Kind>[];
  readonly itemOf: <Kind extends RegistryKind>(kind: Kind, key: string) => DraftItem<Kind> | undefined;
  /** First the entities that only the registry contains, then those of the file. */
  readonly all: <Kind extends RegistryKind>(kind: Kind) => { readonly key: string; readonly entity: EntityOf<Kind> }[];
  readonly repeated: readonly ApiErrorDetail[];
}

const keyField = (kind: RegistryKind): string => {
  if (kind === 'metric_definitions') return 'version';
  if (kind === 'creatives') return 'external_id';
  return kind === 'vendors' || kind === 'apps' ? 'code' : 'id';
};

type ItemsByKind = { readonly [Kind in RegistryKind]: Map<string, DraftItem<Kind>> };

export const draftOf = (registry: Registry, file: RegistryFile): RegistryDraft => {
  const itemsByKind = Object.fromEntries(registryKindNames.map((kind) => [kind, new Map()])) as unknown as ItemsByKind;
  const items: DraftItem[] = [];
  const repeated: ApiErrorDetail[] = [];
  const look: EntityLookup = (kind, key) => itemsByKind[kind].get(key)?.requested ?? currentEntity(registry, kind, key);

  const take = <Kind extends RegistryKind>(kind: Kind, given: EntityOf<Kind>, index: number): void => {
    const path = `${kind}[${index}]`;
    // A creative of an unknown campaign gets network 0, which does not exist; `checkReferences` rejects such a creative.
    const key = registryKey(kind, given, networkVia(look, kind, given) ?? 0);
    const twin = itemsByKind[kind].get(key);
    if (twin) {
      repeated.push({ path: `${path}.${keyField(kind)}`, message: `is also that of ${twin.path}` });
      return;
    }
    const item: DraftItem<Kind> = {
      kind,
      key,
      path,
      requested: normalizeEntity(given),
      stored: currentEntity(registry, kind, key),
    };
    itemsByKind[kind].set(key, item);
    items.push(item);
  };
  for (const kind of registryKindNames) file[kind].forEach((given, index) => take(kind, given, index));

  return {
    registry,
    items,
    lookup: look,
    repeated,
    itemsOf: (kind) => [...itemsByKind[kind].values()],
    itemOf: (kind, key) => itemsByKind[kind].get(key),
    all: (kind) => [
      ...[...registry.entries[kind].values()]
        .filter(({ key }) => !itemsByKind[kind].has(key))
        .map(({ key, latest }) => ({ key, entity: latest.entity })),
      ...[...itemsByKind[kind].values()].map((item) => ({ key: item.key, entity: item.requested })),
    ],
  };
};

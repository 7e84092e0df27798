import type { ApiErrorDetail } from '@popsvc/contracts/errors';
import { type EntityOf, registryKindNames, type RegistryFile, type RegistryKind } from '@popsvc/contracts/registry';
import { type EntityLookup, networkVia, registryKey, tidy } from '../entities.ts';
import { currentEntity, type Registry } from '../registry.ts';

/** One entity of a file. */
export interface DraftItem<Kind extends RegistryKind = RegistryKind> {
  readonly kind: Kind;
  readonly key: string;
  /** Where it stands in the file: `devices[3]`. */
  readonly path: string;
  readonly requested: EntityOf<Kind>;
  /** As the registry has it. */
  readonly stored: EntityOf<Kind> | undefined;
}

/** The registry as a file would make it. */
export interface RegistryDraft {
  readonly registry: Registry;
  readonly items: readonly DraftItem[];
  readonly lookup: EntityLookup;
  readonly itemsOf: <Kind extends RegistryKind>(kind: Kind) => readonly DraftItem<Kind>[];
  readonly itemOf: <Kind extends RegistryKind>(kind: Kind, key: string) => DraftItem<Kind> | undefined;
  /** All entities of a kind: those the file says nothing of, then those of the file. */
  readonly all: <Kind extends RegistryKind>(kind: Kind) => { readonly key: string; readonly entity: EntityOf<Kind> }[];
  /** Entities the file tells twice. */
  readonly repeated: readonly ApiErrorDetail[];
}

const keyField = (kind: RegistryKind): string => {
  if (kind === 'metric_definitions') return 'version';
  if (kind === 'creatives') return 'external_id';
  return kind === 'vendors' || kind === 'apps' ? 'code' : 'id';
};

type Told = { readonly [Kind in RegistryKind]: Map<string, DraftItem<Kind>> };

export const draftOf = (registry: Registry, file: RegistryFile): RegistryDraft => {
  const told = Object.fromEntries(registryKindNames.map((kind) => [kind, new Map()])) as unknown as Told;
  const items: DraftItem[] = [];
  const repeated: ApiErrorDetail[] = [];
  const look: EntityLookup = (kind, key) => told[kind].get(key)?.requested ?? currentEntity(registry, kind, key);

  const take = <Kind extends RegistryKind>(kind: Kind, given: EntityOf<Kind>, index: number): void => {
    const path = `${kind}[${index}]`;
    // Network 0 is nobody's: a creative of an unknown campaign meets no other, and its reference is refused.
    const key = registryKey(kind, given, networkVia(look, kind, given) ?? 0);
    const twin = told[kind].get(key);
    if (twin) {
      repeated.push({ path: `${path}.${keyField(kind)}`, message: `is also that of ${twin.path}` });
      return;
    }
    const item: DraftItem<Kind> = {
      kind,
      key,
      path,
      requested: tidy(given),
      stored: currentEntity(registry, kind, key),
    };
    told[kind].set(key, item);
    items.push(item);
  };
  for (const kind of registryKindNames) file[kind].forEach((given, index) => take(kind, given, index));

  return {
    registry,
    items,
    lookup: look,
    repeated,
    itemsOf: (kind) => [...told[kind].values()],
    itemOf: (kind, key) => told[kind].get(key),
    all: (kind) => [
      ...[...registry.entries[kind].values()]
        .filter(({ key }) => !told[kind].has(key))
        .map(({ key, latest }) => ({ key, entity: latest.entity })),
      ...[...told[kind].values()].map((item) => ({ key: item.key, entity: item.requested })),
    ],
  };
};

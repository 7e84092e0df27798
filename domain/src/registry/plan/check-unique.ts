import type { ApiErrorDetail } from '@popsvc/contracts/errors';
import { type EntityOf, registryKinds, type RegistryKind } from '@popsvc/contracts/registry';
import { isRetired } from '../life.ts';
import { networkNameKey } from '../network-name.ts';
import { networkInDraft } from './check-references.ts';
import type { RegistryDraft } from './draft.ts';

interface Claim {
  /** What must be unique. */
  readonly value: string;
  readonly field: string;
}

/** Each claimed value belongs to one entity; of two in the file the later is refused. */
const claimedOnce = <Kind extends RegistryKind>(
  draft: RegistryDraft,
  kind: Kind,
  claims: (entity: EntityOf<Kind>) => readonly Claim[],
): ApiErrorDetail[] => {
  const owners = new Map<string, string>();
  return draft.all(kind).flatMap(({ key, entity }) =>
    claims(entity).flatMap(({ value, field }) => {
      const owner = owners.get(value);
      const path = draft.itemOf(kind, key)?.path;
      if (owner === undefined) owners.set(value, key);
      if (owner === undefined || path === undefined) return [];
      const message = owner === key ? 'is given twice' : `is also that of ${registryKinds[kind].stem} ${owner}`;
      return [{ path: `${path}.${field}`, message }];
    }),
  );
};

/** Retired networks, vendors and campaigns keep their names and ids, since past reports show them. */
export const checkUnique = (draft: RegistryDraft): ApiErrorDetail[] => [
  ...claimedOnce(draft, 'networks', ({ name }) => [{ value: networkNameKey(name), field: 'name' }]),
  ...claimedOnce(draft, 'vendors', ({ network, name }) => [{ value: `${network}/${name}`, field: 'name' }]),
  ...claimedOnce(draft, 'campaigns', ({ network, external_id: id }) => [
    { value: `${network}/${id}`, field: 'external_id' },
  ]),
  ...claimedOnce(draft, 'devices', (device) => {
    if (isRetired(device)) return [];
    const network = networkInDraft(draft, 'devices', device);
    return device.screen_ids.map((screen, index) => ({
      value: `${network ?? `of ${device.id}`}/${screen}`,
      field: `screen_ids[${index}]`,
    }));
  }),
  ...draft.itemsOf('campaigns').flatMap(({ path, requested: { strategies } }) =>
    strategies.flatMap(({ id }, index) => {
      const first = strategies.findIndex((strategy) => strategy.id === id);
      return first < index ? [{ path: `${path}.strategies[${index}].id`, message: 'is given twice' }] : [];
    }),
  ),
];

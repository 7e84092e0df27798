import type { ApiErrorDetail } from '@popsvc/contracts/errors';
import { type EntityOf, type RegistryKind, registryKinds } from '@popsvc/contracts/registry';
import { instantMs } from '@popsvc/contracts/time';
import { type EntityLookup, isRetired, isSame, networkNameKey, networkVia, references, referred } from '../entities.ts';
import { currentEntity, networkOf } from '../registry.ts';
import type { DraftItem, RegistryDraft } from './draft.ts';

/** Published thresholds never change. New ones may change past reports only with `restate`. */
export const checkDefinitions = ({ itemsOf }: RegistryDraft, nowMs: number, restate: boolean): ApiErrorDetail[] =>
  itemsOf('metric_definitions').flatMap(({ path, requested, stored }) => {
    if (stored)
      return isSame(stored, requested)
        ? []
        : [{ path: `${path}.version`, message: 'is published and never changes; publish another version' }];
    return instantMs(requested.effective_from)! < nowMs && !restate
      ? [{ path: `${path}.effective_from`, message: 'is before now and would change past reports; needs --restate' }]
      : [];
  });

/** The feeder of a camera that is not retired must be of the same device. If the file lacks the camera, the problem is at the feeder. */
const cameraFeeders = ({ all, itemOf, lookup }: RegistryDraft): ApiErrorDetail[] =>
  all('cameras').flatMap(({ key, entity: camera }) => {
    const feeder = camera.feeder === undefined ? undefined : lookup('feeders', String(camera.feeder));
    if (!feeder || isRetired(camera) || feeder.device === camera.device) return [];
    const [atCamera, atFeeder] = [itemOf('cameras', key), itemOf('feeders', String(feeder.id))];
    if (atCamera) return [{ path: `${atCamera.path}.feeder`, message: `is of another device, ${feeder.device}` }];
    const message = `camera ${camera.id} of device ${camera.device} uses this feeder`;
    return atFeeder ? [{ path: `${atFeeder.path}.device`, message }] : [];
  });

/** The strategy of a creative must belong to its campaign. If the file contains only the campaign, the problem is reported there. */
const creativeStrategies = ({ all, itemOf, lookup }: RegistryDraft): ApiErrorDetail[] =>
  all('creatives').flatMap(({ key, entity: creative }) => {
    const { strategy, campaign: id } = creative;
    const campaign = lookup('campaigns', String(id));
    if (strategy === undefined || !campaign || isRetired(creative)) return [];
    if (campaign.strategies.some((own) => own.id === strategy)) return [];
    const [atCreative, atCampaign] = [itemOf('creatives', key), itemOf('campaigns', String(id))];
    if (atCreative) return [{ path: `${atCreative.path}.strategy`, message: `is not a strategy of campaign ${id}` }];
    const message = `creative ${creative.external_id} uses strategy ${strategy}`;
    return atCampaign ? [{ path: `${atCampaign.path}.strategies`, message }] : [];
  });

export const checkDeviceAndCampaign = (draft: RegistryDraft): ApiErrorDetail[] => [
  ...cameraFeeders(draft),
  ...creativeStrategies(draft),
];

const named = (kind: RegistryKind, id: number): string => `${registryKinds[kind].stem} ${id}`;

/** A reference that an active stored entity already has stays allowed even if its target is retired. */
const existed = ({ stored }: DraftItem, field: string, id: number): boolean =>
  stored !== undefined && !isRetired(stored) && referred(stored, field) === id;

export const checkReferences = ({ items, lookup }: RegistryDraft): ApiErrorDetail[] =>
  items.flatMap((item) =>
    references[item.kind].flatMap(({ field, kind }) => {
      const id = referred(item.requested, field);
      if (id === undefined) return [];
      const path = `${item.path}.${field}`;
      const target = lookup(kind, String(id));
      if (!target) return [{ path, message: `there is no ${named(kind, id)}` }];
      if (isRetired(target) && !isRetired(item.requested) && !existed(item, field, id))
        return [{ path, message: `${named(kind, id)} is retired` }];
      return [];
    }),
  );

/** A stored parent takes precedence over the same parent in the file, since `checkNetworks` does not let a parent change its network. */
const networkInDraft = (
  draft: RegistryDraft,
  kind: RegistryKind,
  entity: EntityOf<RegistryKind>,
): number | undefined => {
  const look: EntityLookup = (of, key) => currentEntity(draft.registry, of, key) ?? draft.lookup(of, key);
  return networkVia(look, kind, entity);
};

export const checkNetworks = (draft: RegistryDraft): ApiErrorDetail[] =>
  draft.items.flatMap(({ kind, path, requested, stored }) => {
    const [home] = references[kind];
    const before = stored && networkOf(draft.registry, kind, stored);
    const after = networkInDraft(draft, kind, requested);
    if (!home || before === undefined || after === undefined || before === after) return [];
    return [{ path: `${path}.${home.field}`, message: `must stay in network ${before}` }];
  });

interface Claim {
  readonly value: string;
  readonly field: string;
}

/** Rejects a value in the file that an entity outside of the file, or an earlier place in the file, already has. */
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

/** Retired networks, vendors and campaigns keep their names and ids, because past reports contain them. */
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

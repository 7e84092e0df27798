import { ApiError, type ApiErrorDetail } from '@popsvc/contracts/errors';
import { type RegistryChange, registryTypeOf } from '@popsvc/contracts/events';
import { type EntityOf, type RegistryFile, type RegistryKind, registryKindNames } from '@popsvc/contracts/registry';
import { content, isRetired, isSame } from '../entities.ts';
import type { Registry } from '../registry.ts';
import { checkDefinitions, checkNetworks, checkDeviceAndCampaign, checkReferences, checkUnique } from './checks.ts';
import { type DraftItem, draftOf, type RegistryDraft } from './draft.ts';

type Step = readonly [RegistryChange, EntityOf<RegistryKind>];

const stepsOf = ({ requested, stored }: DraftItem): Step[] => {
  const retired = isRetired(requested);
  if (!stored && retired)
    return [
      ['Registered', content(requested)],
      ['Retired', requested],
    ];
  if (!stored) return [['Registered', requested]];
  if (isRetired(stored) !== retired) return [[retired ? 'Retired' : 'Registered', requested]];
  return isSame(stored, requested) ? [] : [['Changed', requested]];
};

const releasesScreens = ({ kind, requested, stored }: DraftItem): boolean => {
  if (kind !== 'devices' || !stored) return false;
  const [before, after] = [stored as EntityOf<'devices'>, requested as EntityOf<'devices'>];
  return isRetired(after) || before.screen_ids.some((screen) => !after.screen_ids.includes(screen));
};

/**
 * Referenced entities come first. Devices that release screens come after other devices, so that the new device of a screen gets it before
 * the old one loses it.
 */
const inOrder = ({ items }: RegistryDraft): DraftItem[] =>
  registryKindNames.flatMap((kind) => {
    const ofKind = items.filter((item) => item.kind === kind);
    return [...ofKind.filter((item) => !releasesScreens(item)), ...ofKind.filter(releasesScreens)];
  });

export interface PlannedChange {
  readonly kind: RegistryKind;
  readonly key: string;
  readonly type: string;
  readonly data: EntityOf<RegistryKind>;
  readonly before?: EntityOf<RegistryKind>;
}

type Count = Record<RegistryKind, number>;

export interface RegistryPlan {
  readonly changes: PlannedChange[];
  /** Number of entities in the file. A new entity that is already retired counts as created and as retired. */
  readonly counts: Readonly<Record<'created' | 'changed' | 'retired' | 'unchanged', Count>>;
}

export interface PlanOptions {
  readonly nowMs: number;
  /** Whether new thresholds may take effect in the past, which changes past reports. */
  readonly restate?: boolean;
}

/** An entity that is registered again after it was retired counts as changed. */
export const outcomeOf = (change: RegistryChange, isStored: boolean): 'created' | 'changed' | 'retired' => {
  if (change === 'Retired') return 'retired';
  return change === 'Registered' && !isStored ? 'created' : 'changed';
};

const none = (): Count => Object.fromEntries(registryKindNames.map((kind) => [kind, 0])) as Count;

const refuse = (details: readonly ApiErrorDetail[]): never => {
  const count = details.length === 1 ? 'a problem' : `${details.length} problems`;
  throw new ApiError('INVALID_REQUEST', `The registry file has ${count}; nothing was changed.`, { details });
};

/** Throws an ApiError with all problems if the result would violate a rule of the registry. */
export const planRegistry = (registry: Registry, file: RegistryFile, options: PlanOptions): RegistryPlan => {
  const draft = draftOf(registry, file);
  const problems = [
    ...draft.repeated,
    ...checkReferences(draft),
    ...checkNetworks(draft),
    ...checkUnique(draft),
    ...checkDeviceAndCampaign(draft),
    ...checkDefinitions(draft, options.nowMs, options.restate ?? false),
  ];
  if (problems.length > 0) refuse(problems);

  const counts = { created: none(), changed: none(), retired: none(), unchanged: none() };
  const changes = inOrder(draft).flatMap((item): PlannedChange[] => {
    const { kind, key, stored } = item;
    const steps = stepsOf(item);
    if (steps.length === 0) counts.unchanged[kind] += 1;
    return steps.map(([change, data]) => {
      counts[outcomeOf(change, stored !== undefined)][kind] += 1;
      return { kind, key, type: registryTypeOf(kind, change), data, ...(stored && { before: stored }) };
    });
  });
  return { changes, counts };
};

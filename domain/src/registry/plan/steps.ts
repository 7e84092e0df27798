import type { RegistryChange } from '@popsvc/contracts/events';
import { type EntityOf, registryKindNames, type RegistryKind } from '@popsvc/contracts/registry';
import { content, isRetired, isSame } from '../life.ts';
import type { RegistryDraft, DraftItem } from './draft.ts';

type Step = readonly [RegistryChange, EntityOf<RegistryKind>];

/** What must happen to an entity so that it is as the file tells it. One first told as retired has lived until then. */
export const stepsOf = ({ requested: requested, stored }: DraftItem): Step[] => {
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

const givesUpScreens = ({ kind, requested: requested, stored }: DraftItem): boolean => {
  if (kind !== 'devices' || !stored) return false;
  const [before, after] = [stored as EntityOf<'devices'>, requested as EntityOf<'devices'>];
  return isRetired(after) || before.screen_ids.some((screen) => !after.screen_ids.includes(screen));
};

/** By kind, what is referred to first; devices that give screens up last, so that no screen on the move goes without. */
export const inOrder = ({ items }: RegistryDraft): DraftItem[] =>
  registryKindNames.flatMap((kind) => {
    const ofKind = items.filter((item) => item.kind === kind);
    return [...ofKind.filter((item) => !givesUpScreens(item)), ...ofKind.filter(givesUpScreens)];
  });

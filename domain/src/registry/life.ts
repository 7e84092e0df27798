import type { EntityOf, RegistryKind } from '@popsvc/contracts/registry';
import { instantMs, instantOf } from '@popsvc/contracts/time';
import { stringify } from 'safe-stable-stringify';

type Entity = EntityOf<RegistryKind>;

/** What entities may say of themselves besides their own fields. */
interface Life {
  readonly effective_from?: string | undefined;
  readonly retired?: boolean | undefined;
}

export const isRetired = (entity: Entity): boolean => (entity as Life).retired === true;

/** When an entity says that it takes effect, if it says so. */
export const effectiveMs = (entity: Entity): number | undefined => {
  const { effective_from: from } = entity as Life;
  return from === undefined ? undefined : instantMs(from);
};

/** An entity without what it says of its life. */
export const content = (entity: Entity): Entity =>
  Object.fromEntries(
    Object.entries(entity).filter(([field]) => field !== 'effective_from' && field !== 'retired'),
  ) as unknown as Entity;

/** An entity as events tell it: its instant in the house's form, `retired` only where it is so. */
export const tidy = <Told extends Entity>(entity: Told): Told => {
  const from = effectiveMs(entity);
  return {
    ...content(entity),
    ...(from !== undefined && { effective_from: instantOf(from) }),
    ...(isRetired(entity) && { retired: true }),
  } as Told;
};

/** Whether a file tells of an entity what is stored, retired or not; a missing `effective_from` says nothing. */
export const isSame = (stored: Entity, told: Entity): boolean => {
  const from = effectiveMs(told);
  if (from !== undefined && from !== effectiveMs(stored)) return false;
  return stringify(content(stored)) === stringify(content(told));
};

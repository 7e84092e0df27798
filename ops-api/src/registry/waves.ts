import type { RegistryKind } from '@popsvc/contracts/registry';
import type { PlannedChange } from '@popsvc/domain/registry';

/** What happens to one entity, in order. */
export interface EntityChanges {
  readonly kind: RegistryKind;
  readonly key: string;
  readonly isNew: boolean;
  readonly steps: readonly PlannedChange[];
}

const byEntity = (changes: readonly PlannedChange[]): EntityChanges[] => {
  const entities = new Map<string, PlannedChange[]>();
  for (const change of changes) {
    const id = `${change.kind} ${change.key}`;
    entities.set(id, [...(entities.get(id) ?? []), change]);
  }
  return [...entities.values()].map((steps) => {
    const { kind, key, before } = steps[0]!;
    return { kind, key, isNew: before === undefined, steps };
  });
};

/**
 * What may be appended side by side, wave after wave: new entities of one kind. What changes goes alone and in the plan's
 * order, since a device must hold a screen before another gives it up.
 */
export const wavesOf = (changes: readonly PlannedChange[]): readonly (readonly EntityChanges[])[] => {
  const waves: EntityChanges[][] = [];
  for (const entity of byEntity(changes)) {
    const wave = waves.at(-1);
    const first = wave?.[0];
    if (wave && first?.kind === entity.kind && first.isNew && entity.isNew) wave.push(entity);
    else waves.push([entity]);
  }
  return waves;
};

import { type ApiErrorDetail, ApiError } from '@popsvc/contracts/errors';
import { registryTypeOf } from '@popsvc/contracts/events';
import { type EntityOf, registryKindNames, type RegistryFile, type RegistryKind } from '@popsvc/contracts/registry';
import type { Registry } from '../registry.ts';
import { checkDefinitions } from './check-definitions.ts';
import { checkKinship } from './check-kinship.ts';
import { checkHomes, checkReferences } from './check-references.ts';
import { checkUnique } from './check-unique.ts';
import { draftOf } from './draft.ts';
import { inOrder, stepsOf } from './steps.ts';

/** An event to append to the stream of its entity. */
export interface PlannedChange {
  readonly kind: RegistryKind;
  readonly key: string;
  /** Event type. */
  readonly type: string;
  /** The whole entity as it is to be. */
  readonly data: EntityOf<RegistryKind>;
  /** As the registry has it; absent when it is new. */
  readonly before?: EntityOf<RegistryKind>;
}

type Count = Record<RegistryKind, number>;

export interface RegistryPlan {
  readonly changes: PlannedChange[];
  /** Entities of the file by kind. One that is registered only to be retired counts as created and as retired. */
  readonly counts: Readonly<Record<'created' | 'changed' | 'retired' | 'unchanged', Count>>;
}

export interface PlanOptions {
  readonly nowMs: number;
  /** Allows thresholds that take effect before now. */
  readonly restate?: boolean;
}

const outcomes = { Registered: 'created', Changed: 'changed', Retired: 'retired' } as const;
const none = (): Count => Object.fromEntries(registryKindNames.map((kind) => [kind, 0])) as Count;

const refuse = (details: readonly ApiErrorDetail[]): never => {
  const count = details.length === 1 ? 'a problem' : `${details.length} problems`;
  throw new ApiError('INVALID_REQUEST', `The registry file has ${count}; nothing was changed.`, { details });
};

/**
 * What a registry file asks for beyond what the registry already has; the same file again asks for nothing. Throws a
 * Refusal that names every problem when the result would break a rule of the registry.
 */
export const planRegistry = (registry: Registry, file: RegistryFile, options: PlanOptions): RegistryPlan => {
  const draft = draftOf(registry, file);
  const problems = [
    ...draft.repeated,
    ...checkReferences(draft),
    ...checkHomes(draft),
    ...checkUnique(draft),
    ...checkKinship(draft),
    ...checkDefinitions(draft, options.nowMs, options.restate ?? false),
  ];
  if (problems.length > 0) refuse(problems);

  const counts = { created: none(), changed: none(), retired: none(), unchanged: none() };
  const changes = inOrder(draft).flatMap((item): PlannedChange[] => {
    const { kind, key, stored } = item;
    const steps = stepsOf(item);
    if (steps.length === 0) counts.unchanged[kind] += 1;
    return steps.map(([change, data]) => {
      counts[outcomes[change]][kind] += 1;
      return { kind, key, type: registryTypeOf(kind, change), data, ...(stored && { before: stored }) };
    });
  });
  return { changes, counts };
};

import { z } from 'zod';
import { type EntityOf, registryKindNames, registryKinds, type RegistryKind } from './kinds.ts';

type Lists = { [Kind in RegistryKind]: z.ZodDefault<z.ZodArray<(typeof registryKinds)[Kind]['schema']>> };

const lists = Object.fromEntries(
  registryKindNames.map((kind) => [kind, z.array(registryKinds[kind].schema).default([])]),
) as unknown as Lists;

/** The registry file of decisions 9; absence of an entity removes nothing. */
export const RegistryFile = z.strictObject(lists);
export type RegistryFile = { [Kind in RegistryKind]: EntityOf<Kind>[] };

import { registryKindNames, registryKinds } from '@popsvc/contracts/registry';
import { code, page, table } from './markdown.ts';
import { fieldColumns, fieldRows } from './schema-fields.ts';

export const registryPage = (): string =>
  page('Registry file', '`contracts/src/registry/registry-file.ts`', [
    'The lists of a registry file, which `popsvc registry apply` applies ([guide](../guides/operators/administer.md#maintain-the-registry)). Each list is optional, and a file with an unknown field is refused.',
    'An entity in the file replaces the registered one as a whole: a field that is omitted is removed or has its default. Entities that the file does not contain stay as they are.',
    ...registryKindNames.flatMap((kind) => [
      `## ${kind}`,
      registryKinds[kind].about,
      table(fieldColumns, fieldRows(registryKinds[kind].schema, 'input')),
    ]),
    `Instants are in ISO 8601, such as ${code('2026-08-01T00:00:00Z')}.`,
  ]);

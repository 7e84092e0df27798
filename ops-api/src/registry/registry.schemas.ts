import { registryKindNames } from '@popsvc/contracts/registry';
import { z } from 'zod';
import { switchParameter } from '../parameters.ts';

const Kind = z.enum(registryKindNames as [string, ...string[]]);
const byKind = z.record(z.string(), z.int().min(0)).describe('How many, by kind.');

export const ApplyQuery = z.strictObject({
  dry_run: switchParameter.optional().describe('`true`: only tell what would change.'),
  restate: switchParameter
    .optional()
    .describe('`true`: allow thresholds that take effect before now, which recomputes.'),
});

/** What applying a registry file did. */
export const AppliedRegistry = z
  .object({
    created: byKind,
    changed: byKind,
    retired: byKind,
    unchanged: byKind,
    dry_run: z.boolean().describe('Nothing was stored.'),
    changes: z.array(
      z.object({
        kind: Kind,
        key: z.string(),
        change: z.enum(['created', 'changed', 'retired']),
        fields: z
          .record(z.string(), z.object({ from: z.unknown(), to: z.unknown() }))
          .describe('From what to what; null where it is not given.'),
      }),
    ),
  })
  .meta({ id: 'AppliedRegistry' });

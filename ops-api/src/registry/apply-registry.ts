import { ApiError } from '@popsvc/contracts/errors';
import type { RegistryFile } from '@popsvc/contracts/registry';
import { planRegistry } from '@popsvc/domain/registry';
import { tryWithLock } from '@popsvc/platform/postgres';
import type { OpsDependencies } from '../ops-parts.ts';
import { appendChanges } from './append-changes.ts';
import type { RegistryLog } from './registry-log.ts';
import { requireKnownZones } from './require-known-zones.ts';
import { toldChange } from './told-change.ts';

export interface ApplyOptions {
  /** Only tells what would change. */
  readonly dryRun: boolean;
  /** Allows thresholds that take effect before now. */
  readonly restate: boolean;
  readonly requestId: string;
}

const lock = '123623930295909';

/** Applies registry files, one at a time over all processes: two files may each be right and together break a rule. */
export const registryApplier = ({ store, postgres, readTimeZones }: OpsDependencies, known: RegistryLog) => {
  let applying: Promise<unknown> = Promise.resolve();

  const planAndAppend = async (file: RegistryFile, { dryRun, restate, requestId }: ApplyOptions) => {
    const before = await known.upToDate();
    const { changes, counts } = planRegistry(before.registry, file, { nowMs: Date.now(), restate });
    if (!dryRun) await appendChanges(store, before, changes, requestId);
    return { ...counts, dry_run: dryRun, changes: changes.map(toldChange) };
  };

  return async (file: RegistryFile, options: ApplyOptions) => {
    await requireKnownZones(file, readTimeZones);
    const next = applying.then(() => tryWithLock(postgres, lock, () => planAndAppend(file, options)));
    applying = next.catch(() => undefined);
    const outcome = await next;
    if (!outcome)
      throw new ApiError('UNAVAILABLE', 'Another process applies a registry file now; try again.', {
        retryAfterSeconds: 2,
      });
    return outcome.done;
  };
};

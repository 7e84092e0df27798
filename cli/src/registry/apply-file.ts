import type { Ops } from '../service-client/ops-client.ts';
import { readStructured } from './read-structured.ts';
import { refusedFile } from './refused-file.ts';
import type { AppliedRegistry } from './told-registry.ts';

export interface ApplySwitches {
  readonly dryRun?: boolean;
  readonly restate?: boolean;
}

/** Has a registry file applied; what is refused is told with its line and column. */
export const applyFile = async (
  ops: Ops,
  path: string,
  { dryRun, restate }: ApplySwitches,
): Promise<AppliedRegistry> => {
  const file = await readStructured(path);
  const query = new URLSearchParams({ ...(dryRun && { dry_run: 'true' }), ...(restate && { restate: 'true' }) });
  try {
    return await ops<AppliedRegistry>(`/registry?${query.toString()}`, {
      method: 'POST',
      body: file.value,
      patienceMs: 15_000,
    });
  } catch (error) {
    throw refusedFile(path, file, error);
  }
};

import { Failure } from '../cli/failure.ts';
import type { Ops } from '../service/ops-client.ts';
import { readStructured } from './read-structured.ts';
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
  const { value, locate } = await readStructured(path);
  const query = new URLSearchParams({ ...(dryRun && { dry_run: 'true' }), ...(restate && { restate: 'true' }) });
  try {
    return await ops<AppliedRegistry>(`/registry?${query.toString()}`, {
      method: 'POST',
      body: value,
      patienceMs: 15_000,
    });
  } catch (error) {
    if (!(error instanceof Failure) || error.details.length === 0) throw error;
    throw new Failure(
      `${path} is refused: nothing was changed.`,
      error.details.map(({ path: at, message }) => ({ path: `${locate(at)}: ${at}`, message })),
    );
  }
};

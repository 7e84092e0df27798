import { existsSync } from 'node:fs';
import type { Damage } from '../log/damage.ts';
import { isEmptyLog } from '../log/structure.ts';
import { analyzeLog } from './analyze-log.ts';

export interface LogReport {
  readonly dir: string;
  readonly segments: number;
  readonly events: number;
  /** Log position after the last durable record. */
  readonly end: number;
  readonly damages: readonly Damage[];
  /** Size of an incomplete write at the end of the log. A running node may still complete it. */
  readonly torn_bytes: number;
  /** False also for a damaged file `durable-end`. */
  readonly has_durable_end: boolean;
}

export const requireLog = (dir: string): void => {
  if (!existsSync(dir) || isEmptyLog(dir)) throw new Error(`there is no event log in ${dir}`);
};

/** Reads only, so a node may use the log. */
export const verifyLog = async (dir: string): Promise<LogReport> => {
  requireLog(dir);
  const { structure, segments, damages, tornBytes } = await analyzeLog(dir);
  return {
    dir,
    segments: segments.filter(({ found }) => found).length,
    events: segments.reduce((sum, { check }) => sum + (check?.events ?? 0), 0),
    end: Math.max(0, ...segments.map(({ check, storedEnd }) => storedEnd ?? check?.end ?? 0)),
    damages,
    torn_bytes: tornBytes,
    has_durable_end: typeof structure.durable === 'object',
  };
};

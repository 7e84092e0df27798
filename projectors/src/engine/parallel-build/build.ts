import type { BuildPart, LeaseKey } from '@popsvc/platform/postgres';
import type { RunnerDependencies } from '../dependencies.ts';
import type { Projection } from '../projection.ts';
import type { PartReader } from './part-reader.ts';

export interface Building {
  readonly projection: Projection;
  readonly generation: number;
}

export interface BuildTarget extends Building {
  /** Position of the last event to fold. */
  readonly upTo: bigint;
}

/** Processes the parts of a build until none is left, or throws. */
export type RunBuildWorkers = (building: Building, signal: AbortSignal) => Promise<void>;

export interface BuildDependencies extends RunnerDependencies {
  /** Runs the workers; default: in this process. */
  readonly runWorkers?: RunBuildWorkers;
  /** Number of events in a part; default 100,000. */
  readonly partEvents?: number;
}

/** Progress since the last report. */
export interface BuildProgress {
  readonly events: number;
  /** Everything up to this position is written. */
  readonly position: bigint;
  /** Estimated number of events of the whole build. */
  readonly total?: number;
  /** Windows of derived rows, once their number is known. */
  readonly windows?: { readonly done: number; readonly of: number };
}

/** A part of a build together with its lease. */
export interface PartTask extends BuildDependencies, Building {
  readonly key: LeaseKey;
  readonly part: BuildPart;
  readonly reader: PartReader;
  /** Throws once the lease is lost. */
  readonly assertHeld: () => void;
  /** Throws when ClickHouse restarted. */
  readonly assertSameServer: () => Promise<void>;
}

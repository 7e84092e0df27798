import type { BuildPart, LeaseKey } from '@popsvc/platform/postgres';
import type { RunnerDependencies } from '../dependencies.ts';
import type { Projection } from '../projection.ts';
import type { PartReader } from './part-reader.ts';

/** A generation that is being made of the whole log. */
export interface Building {
  readonly projection: Projection;
  readonly generation: number;
}

export interface BuildTarget extends Building {
  /** Position of the last event to fold; nothing past it is. */
  readonly upTo: bigint;
}

/** Works on what a build consists of until nothing of it is left, or throws. */
export type RunBuildWorkers = (building: Building, signal: AbortSignal) => Promise<void>;

export interface BuildDependencies extends RunnerDependencies {
  /** Who does the work; default: this process. */
  readonly runWorkers?: RunBuildWorkers;
  /** Events of the log in a part of it; default 100,000. */
  readonly partEvents?: number;
}

/** Since it was told last. */
export interface BuildProgress {
  readonly events: number;
  /** Everything up to here is written. */
  readonly position: bigint;
  /** How many events the whole build has to fold, about, until it is known. */
  readonly total?: number;
  /** Sets that are computed from all facts, once it is known how many. */
  readonly windows?: { readonly done: number; readonly of: number };
}

/** A part of a build in the hands of who has its lease. */
export interface PartTask extends BuildDependencies, Building {
  readonly key: LeaseKey;
  readonly part: BuildPart;
  readonly reader: PartReader;
  /** Throws once the lease is not held. */
  readonly assertHeld: () => void;
  /** Throws when ClickHouse was restarted. */
  readonly assertSameServer: () => Promise<void>;
}

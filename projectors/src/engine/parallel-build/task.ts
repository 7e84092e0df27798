import type { BuildPart, LeaseKey } from '@popsvc/platform/postgres';
import type { Building, BuildDependencies } from './build.ts';
import type { PartReader } from './reader.ts';

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

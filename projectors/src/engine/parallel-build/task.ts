import type { BuildPart, LeaseKey } from '@popsvc/platform/postgres';
import type { Building, BuildParts } from './build.ts';
import type { Reader } from './reader.ts';

/** A part of a build in the hands of who has its lease. */
export interface Task extends BuildParts, Building {
  readonly key: LeaseKey;
  readonly part: BuildPart;
  readonly reader: Reader;
  /** Throws once the lease is not held. */
  readonly assertHeld: () => void;
  /** Throws when ClickHouse was restarted. */
  readonly assertSameServer: () => Promise<void>;
}

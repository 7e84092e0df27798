import type { PopRecorded } from '@popsvc/contracts/events';

/** Why a mapping cannot turn an event into a play. `no_zone` may pass when the registry learns the screen. */
export type MappingFailureCode =
  'no_mapping' | 'missing' | 'unparsable' | 'invalid' | 'no_zone' | 'skipped_hour' | 'too_old';

export interface MappingFailure {
  readonly code: MappingFailureCode;
  /** For people: which field, and what is wrong with it. */
  readonly reason: string;
}

/** What became of an event: a play as the log would keep it, or why not. */
export type MappingResult =
  { readonly play: PopRecorded } | { readonly unfit: MappingFailure; readonly eventId?: string };

/** What a mapping must know besides the event. */
export interface MappingContext {
  readonly receivedAtMs: number;
  /** Undefined: of any age. */
  readonly maxAgeDays?: number | undefined;
  /** Zone of the device a screen was on, else of its site; undefined while the screen is not known. */
  readonly zoneOf: (screenId: string, atMs: number) => string | undefined;
}

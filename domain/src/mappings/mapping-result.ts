import type { RecordedPlay } from '@popsvc/contracts/events';

/** Reasons why a mapping cannot convert an event to a play. `no_zone` is resolved once the screen is registered. */
export const mappingFailureCodes = [
  'no_mapping',
  'missing',
  'unparsable',
  'invalid',
  'no_zone',
  'skipped_hour',
  'too_old',
] as const;
export type MappingFailureCode = (typeof mappingFailureCodes)[number];

export interface MappingFailure {
  readonly code: MappingFailureCode;
  /** Human-readable message that names the field and its problem. */
  readonly reason: string;
}

/** Result of mapping an event: a play as stored in the log, or the reason why it cannot be converted. */
export type MappingResult =
  { readonly play: RecordedPlay } | { readonly unfit: MappingFailure; readonly eventId?: string };

/** What a mapping needs in addition to the event itself. */
export interface MappingContext {
  readonly receivedAtMs: number;
  /** Plays older than this many days are rejected; undefined: no limit. */
  readonly maxAgeDays?: number | undefined;
  /**
   * Returns the time zone of the screen's device. If the device has no time zone, returns that of the device's site. Returns
   * undefined for an unknown screen.
   */
  readonly zoneOf: (screenId: string, atMs: number) => string | undefined;
}

/** Why a field, or a combination of fields, is not valid. It is a class so that `instanceof` distinguishes it from field values. */
export class Trouble implements MappingFailure {
  readonly code: MappingFailureCode;
  readonly reason: string;

  constructor(code: MappingFailureCode, reason: string) {
    this.code = code;
    this.reason = reason;
  }
}

const mostShown = 60;

const kindOf = (value: unknown): string => {
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
};

/** Formats a value for a failure reason, on one line of at most 60 characters. A list or object becomes `a list` or `an object`. */
export const shown = (value: unknown): string => {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return kindOf(value);
  return JSON.stringify(value.length > mostShown ? `${value.slice(0, mostShown - 1)}…` : value);
};

const mostReasons = 600;

/**
 * Combines several failures into one. The result has the code of the first failure and the reasons of all failures, truncated to
 * a maximum length.
 */
export const joined = (troubles: readonly Trouble[]): Trouble => {
  const reason = troubles.map((trouble) => trouble.reason).join('; ');
  if (reason.length <= mostReasons) return new Trouble(troubles[0]!.code, reason);
  // The cut must not leave a lone surrogate, which UTF-8 cannot encode.
  const cut = reason.slice(0, mostReasons - 1).replace(/[\uD800-\uDBFF]$/, '');
  return new Trouble(troubles[0]!.code, `${cut}…`);
};

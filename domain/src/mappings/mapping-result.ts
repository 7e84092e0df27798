import type { PopRecorded } from '@popsvc/contracts/events';

/** Why a mapping cannot convert an event to a play. `no_zone` can be resolved by registering the screen. */
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

/** Why a field, or all of them together, make no play. A class, so that one look tells it from a value. */
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

/** A value as reasons show it: at most 60 characters of it, on one line, and nothing of what is inside an object. */
export const shown = (value: unknown): string => {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return kindOf(value);
  return JSON.stringify(value.length > mostShown ? `${value.slice(0, mostShown - 1)}…` : value);
};

const mostReasons = 600;

/** Several troubles as one: the code of the first, the reasons of all. */
export const joined = (troubles: readonly Trouble[]): Trouble => {
  const reason = troubles.map((trouble) => trouble.reason).join('; ');
  if (reason.length <= mostReasons) return new Trouble(troubles[0]!.code, reason);
  // Half a character at the cut could not be written as UTF-8.
  const cut = reason.slice(0, mostReasons - 1).replace(/[\uD800-\uDBFF]$/, '');
  return new Trouble(troubles[0]!.code, `${cut}…`);
};

import type { RecordedPlay } from '@popsvc/contracts/events';
import type { QuarantineCode } from '@popsvc/contracts/vocabulary';

export interface MappingFailure {
  readonly code: QuarantineCode;
  readonly reason: string;
}

export type MappingResult =
  | {
      readonly play: RecordedPlay;
      /** The time zone whose rules determine the start; absent for a time in UTC, a time with an offset and a Unix time. */
      readonly zone?: string;
    }
  | { readonly unfit: MappingFailure; readonly eventId?: string };

export interface MappingContext {
  readonly receivedAtMs: number;
  /** Plays older than this many days are rejected; undefined: no limit. */
  readonly maxAgeDays?: number | undefined;
  /** Returns the zone of the screen's device, or of the site if the device has none; undefined for an unknown screen. */
  readonly zoneOf: (screenId: string, atMs: number) => string | undefined;
}

/** A class, so that `instanceof` distinguishes it from the value of a field. */
export class Trouble implements MappingFailure {
  readonly code: QuarantineCode;
  readonly reason: string;

  constructor(code: QuarantineCode, reason: string) {
    this.code = code;
    this.reason = reason;
  }
}

const mostReasons = 600;

/** The result has the code of the first failure and the reasons of all failures, truncated. */
export const joined = (troubles: readonly Trouble[]): Trouble => {
  const reason = troubles.map((trouble) => trouble.reason).join('; ');
  if (reason.length <= mostReasons) return new Trouble(troubles[0]!.code, reason);
  // The cut must not leave a lone surrogate, which UTF-8 cannot encode.
  const cut = reason.slice(0, mostReasons - 1).replace(/[\uD800-\uDBFF]$/, '');
  return new Trouble(troubles[0]!.code, `${cut}…`);
};

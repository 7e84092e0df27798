import { patternTokens, type TimeSource } from '@popsvc/contracts/mappings';
import { instantMs } from '@popsvc/contracts/time';
import { DateTime } from 'luxon';
import { scaled } from './decimal.ts';

/** What a time says: an instant; or, without an offset, what a clock on the wall showed, in ms as if that clock were UTC. */
export type Told = { readonly instantMs: number } | { readonly wallMs: number };

type Parse = (text: string) => Told | undefined;

const unix =
  (places: 0 | 3): Parse =>
  (text) => {
    const ms = scaled(text, places);
    return ms === undefined ? undefined : { instantMs: ms };
  };

/** ISO 8601 with or without an offset; a blank may stand for the T, as many databases write it. */
const iso: Parse = (sent) => {
  const text = sent[10] === ' ' ? `${sent.slice(0, 10)}T${sent.slice(11)}` : sent;
  const instant = instantMs(text);
  if (instant !== undefined) return { instantMs: instant };
  const wallMs = instantMs(`${text}Z`);
  return wallMs === undefined ? undefined : { wallMs };
};

const pattern = (written: string): Parse => {
  const tokens = patternTokens(written) ?? [];
  // Luxon's own T stands for a whole time of day; here it is the letter between date and time.
  const format = tokens.map((token) => (token === 'T' ? "'T'" : token)).join('');
  const hasOffset = tokens.some((token) => token.startsWith('Z'));
  const locale = 'en-US';
  const parser = DateTime.buildFormatParser(format, { locale });
  return (text) => {
    const read = DateTime.fromFormatParser(text, parser, { zone: 'utc', locale });
    if (!read.isValid) return undefined;
    const ms = read.toMillis();
    return hasOffset ? { instantMs: ms } : { wallMs: ms };
  };
};

/** How a time of this kind is read. */
export const timeParser = (kind: TimeSource['time'] = 'iso'): Parse => {
  if (kind === 'iso') return iso;
  if (kind === 'unix_s') return unix(3);
  return kind === 'unix_ms' ? unix(0) : pattern(kind);
};

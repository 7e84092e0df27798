import { instantMs } from '@popsvc/contracts/time';
import type { PlayoutField } from './playout-fields.ts';

export interface PlayTime {
  readonly startMs: number;
  readonly lengthMs: number;
}

type Get = (field: PlayoutField) => string;

const written = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?$/;
const offset = /^(?:Z|[+-](?:0\d|1[0-8]):[0-5]\d)$/;

/** Dates are UTC instants written without a zone; the offset beside one only tells the screen's local time, but must be there. */
const offsetTrouble = (get: Get, side: 'start' | 'end'): string[] => {
  if (get(`${side}date`) === '') return [];
  const given = get(`${side}utcoffset`);
  if (given === '') return [`${side}utcoffset is missing`];
  return offset.test(given) ? [] : [`${side}utcoffset ${given} is not an offset`];
};

const dateMs = (get: Get, field: 'startdate' | 'enddate'): number | string => {
  const text = get(field);
  return (written.test(text) ? instantMs(`${text}Z`) : undefined) ?? `${field} ${text} is not a date`;
};

const lengthOf = (get: Get): number | string => {
  const text = get('spotlength');
  const ms = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  return ms > 0 ? ms : `spotlength ${text} is not a length in milliseconds`;
};

/** Two of start, end and length, the end being ignored where all three are given. */
const given = (get: Get) => {
  const [hasStart, hasLength] = [get('startdate') !== '', get('spotlength') !== ''];
  const start = hasStart ? dateMs(get, 'startdate') : undefined;
  const length = hasLength ? lengthOf(get) : undefined;
  const end = get('enddate') !== '' && !(hasStart && hasLength) ? dateMs(get, 'enddate') : undefined;
  return { start, length, end };
};

const isText = (value: unknown): value is string => typeof value === 'string';

/** When a row's play began and how long it was; or everything that is wrong about that. */
export const playTime = (get: Get): PlayTime | readonly string[] => {
  const { start, length, end } = given(get);
  const troubles = [
    ...offsetTrouble(get, 'start'),
    ...offsetTrouble(get, 'end'),
    ...[start, length, end].filter(isText),
  ];
  if (troubles.length > 0 || isText(start) || isText(length) || isText(end)) return troubles;
  if (start !== undefined && length !== undefined) return { startMs: start, lengthMs: length };
  if (end !== undefined && length !== undefined) return { startMs: end - length, lengthMs: length };
  if (start === undefined)
    return [
      length === undefined && end !== undefined ? 'neither startdate nor spotlength is given' : 'startdate is missing',
    ];
  if (end === undefined) return ['neither spotlength nor enddate is given'];
  return end > start ? { startMs: start, lengthMs: end - start } : ['enddate is not after startdate'];
};

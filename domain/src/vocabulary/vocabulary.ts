import { AGE_CATEGORIES, type AgeCategory, GENDERS, MOODS, PLAY_REASONS } from '@popsvc/contracts/vocabulary';

/** Text that matches no value becomes `unknown` with `mapped: false`. */
export interface VocabularyMatch<Value extends string> {
  readonly value: Value | 'unknown';
  readonly mapped: boolean;
}

const meansUnknown = new Set(['unknown', 'undefined', 'null', 'none', 'n/a', 'na', 'not_known', 'not_available', '_']);

const written = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '_');

/** Absent text, blank text and words for unknown become `unknown` with `mapped: true`. */
const vocabularyReader = <Value extends string>(
  values: readonly Value[],
  synonyms: Partial<Record<Value, readonly string[]>>,
): ((text: string | undefined) => VocabularyMatch<Value>) => {
  const known = new Map(values.map((value): [string, Value] => [value, value]));
  for (const value of values) for (const synonym of synonyms[value] ?? []) known.set(synonym, value);
  return (text) => {
    const word = written(text ?? '');
    if (word === '' || meansUnknown.has(word)) return { value: 'unknown', mapped: true };
    const value = known.get(word);
    return value === undefined ? { value: 'unknown', mapped: false } : { value, mapped: true };
  };
};

export const readPlayReason = vocabularyReader(PLAY_REASONS, {
  scheduled: ['schedule', 'scheduling', 'schedule_based'],
  triggered: ['trigger', 'trigger_based', 'triggering', 'event_triggered'],
  interrupt: ['interrupted', 'interruption'],
  programmatic: ['programmatically'],
  synchronised: ['synchronized', 'synchronise', 'synchronize', 'synchronous', 'sync', 'synced'],
  filler: ['fill', 'filling'],
  manual: ['manually'],
});

export const readGender = vocabularyReader(GENDERS, {
  male: ['m', 'man', 'men', 'boy'],
  female: ['f', 'woman', 'women', 'girl'],
});

export const readMood = vocabularyReader(MOODS, {
  very_happy: ['veryhappy'],
  unhappy: ['sad'],
  very_unhappy: ['veryunhappy', 'very_sad'],
});

const category = vocabularyReader(AGE_CATEGORIES, {
  child: ['children', 'kid', 'kids'],
  young_adult: ['young_adults', 'youngadult'],
  adult: ['adults', 'middle_aged'],
  senior: ['seniors', 'elderly'],
});

const ofYears = (years: number): AgeCategory => {
  if (years < 15) return 'child';
  if (years < 35) return 'young_adult';
  return years < 65 ? 'adult' : 'senior';
};

const years = /^\d{1,3}(?:\.\d+)?$/;
const range = /^(\d{1,3}) ?(?:[-_]|to) ?(\d{1,3})$/;

/** Patterns of ranges with one limit, and the first and last year that such a range includes. */
const openRanges: readonly (readonly [RegExp, (limit: number) => readonly [number, number]])[] = [
  [/^(?:<|under|below|(?:younger|less) than) ?(\d{1,3})$/, (limit) => [0, limit - 1]],
  [/^(?:<=|≤|up to|at most) ?(\d{1,3})$/, (limit) => [0, limit]],
  [/^(\d{1,3}) (?:and|or|&) (?:under|below|younger|less)$/, (limit) => [0, limit]],
  [/^(?:>|over|above|(?:older|more) than) ?(\d{1,3})$/, (limit) => [limit + 1, Infinity]],
  [/^(?:>=|≥|from|at least) ?(\d{1,3})$/, (limit) => [limit, Infinity]],
  [/^(\d{1,3}) ?(?:\+|plus|(?:and|or|&) (?:over|above|older|more|up))$/, (limit) => [limit, Infinity]],
];

const readRange = (text: string): readonly [number, number] | undefined => {
  if (years.test(text)) return [Number(text), Number(text)];
  const [, from, to] = range.exec(text) ?? [];
  if (from !== undefined) return [Number(from), Number(to)];
  for (const [pattern, yearsOf] of openRanges) {
    const limit = pattern.exec(text)?.[1];
    if (limit !== undefined) return yearsOf(Number(limit));
  }
  return undefined;
};

/** `Age 25 – 34 years` becomes `25 - 34`. */
const bareAge = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[\p{Dash_Punctuation}−~]/gu, '-')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/^(?:ages?|aged) /, '')
    .replace(/ ?(?:years?|yrs?|y)(?: old| of age)?(?= (?:and|or|&) |$)/, '');

/** A range must lie within one category. */
const ofText = (text: string): AgeCategory | undefined => {
  const [from, to] = readRange(years.test(text) ? text : bareAge(text)) ?? [1, 0];
  const category = ofYears(from);
  return from <= to && category === ofYears(to) ? category : undefined;
};

const read = (text: string): VocabularyMatch<AgeCategory> => {
  const word = category(text);
  if (word.mapped) return word;
  const value = ofText(text.trim());
  return value === undefined ? word : { value, mapped: true };
};

/** An age category that was sent takes precedence over the age. */
export const readAgeCategory = (sent: string | undefined, age?: string | number): VocabularyMatch<AgeCategory> =>
  sent?.trim() ? read(sent) : read(String(age ?? ''));

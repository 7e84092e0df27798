import { AGE_CATEGORIES, type AgeCategory, GENDERS, MOODS, PLAY_REASONS } from '@popsvc/contracts/vocabulary';

/**
 * A value of a closed vocabulary. Text that matches no value becomes `unknown` with `mapped: false`; a metric counts these cases.
 */
export interface VocabularyMatch<Value extends string> {
  readonly value: Value | 'unknown';
  readonly mapped: boolean;
}

const meansUnknown = new Set(['unknown', 'undefined', 'null', 'none', 'n/a', 'na', 'not_known', 'not_available', '_']);

/** Normalizes text for comparison: trimmed, lower case, underscores instead of spaces and hyphens. */
const written = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '_');

/** Creates a function that matches text to a vocabulary; absent or blank text is `unknown` with `mapped: true`. */
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

/** Maps the `startReason` of a play to the vocabulary of play reasons. */
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

const years = /^(\d{1,3}(?:\.\d+)?)$/;
const atLeast = /^(\d{1,3})\s*\+$/;
const range = /^(\d{1,3})\s*(?:-|–|_|to)\s*(\d{1,3})$/i;

/** Returns the age category of an age in years, such as `34`, `34.5` or `65+`, or of a range within one category, such as `25-34`. */
const ofText = (text: string): AgeCategory | undefined => {
  const one = years.exec(text)?.[1];
  if (one !== undefined) return ofYears(Number(one));
  const least = atLeast.exec(text)?.[1];
  if (least !== undefined) return Number(least) >= 65 ? 'senior' : undefined;
  const [, from, to] = range.exec(text) ?? [];
  if (from === undefined || to === undefined) return undefined;
  const both = [ofYears(Number(from)), ofYears(Number(to))];
  return both[0] === both[1] ? both[0] : undefined;
};

const read = (text: string): VocabularyMatch<AgeCategory> => {
  const word = category(text);
  if (word.mapped) return word;
  const value = ofText(text.trim());
  return value === undefined ? word : { value, mapped: true };
};

/** Returns the age category that was sent or, if none was, derives it from the age: under 15, 15 to 34, 35 to 64, 65 and over. */
export const readAgeCategory = (sent: string | undefined, age?: string | number): VocabularyMatch<AgeCategory> =>
  sent?.trim() ? read(sent) : read(String(age ?? ''));

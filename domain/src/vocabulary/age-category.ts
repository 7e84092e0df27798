import { AGE_CATEGORIES, type AgeCategory } from '@popsvc/contracts/vocabulary';
import { vocabularyReader, type VocabularyMatch } from './word.ts';

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

/** Years as text: `34`, `34.5`, `65+`, or a range such as `25-34` that lies within one category. */
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

/** The age category as sent, else from the age: under 15, 15 to 34, 35 to 64, 65 and over. */
export const readAgeCategory = (sent: string | undefined, age?: string | number): VocabularyMatch<AgeCategory> =>
  sent?.trim() ? read(sent) : read(String(age ?? ''));

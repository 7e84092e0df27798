export { readAgeCategory } from './age-category.ts';
export type { VocabularyMatch } from './word.ts';
export { readGender, readMood, readPlayReason } from './words.ts';

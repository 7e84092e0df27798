export { ageCategory } from './age-category.ts';
export type { Word } from './word.ts';
export { gender, mood, playReason } from './words.ts';

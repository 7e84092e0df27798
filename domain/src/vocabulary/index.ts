export { readAgeCategory, readGender, readMood, readPlayReason, type VocabularyMatch } from './vocabulary.ts';

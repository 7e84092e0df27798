export {
  AGE_CATEGORIES,
  type AgeCategory,
  type Gender,
  GENDERS,
  type Mood,
  MOODS,
  PLAY_REASONS,
  type PlayReason,
  POP_TYPES,
  type PopType,
  type Population,
  POPULATIONS,
} from './words.ts';

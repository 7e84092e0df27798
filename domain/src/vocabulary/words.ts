import { GENDERS, MOODS, PLAY_REASONS } from '@popsvc/contracts/vocabulary';
import { vocabularyReader } from './word.ts';

/** Why a play began, from `startReason`. */
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

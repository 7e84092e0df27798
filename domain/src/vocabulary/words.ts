import { GENDERS, MOODS, PLAY_REASONS } from '@popsvc/contracts/vocabulary';
import { reader } from './word.ts';

/** Why a play began, from `startReason`. */
export const playReason = reader(PLAY_REASONS, {
  scheduled: ['schedule', 'scheduling', 'schedule_based'],
  triggered: ['trigger', 'trigger_based', 'triggering', 'event_triggered'],
  interrupt: ['interrupted', 'interruption'],
  programmatic: ['programmatically'],
  synchronised: ['synchronized', 'synchronise', 'synchronize', 'synchronous', 'sync', 'synced'],
  filler: ['fill', 'filling'],
  manual: ['manually'],
});

export const gender = reader(GENDERS, {
  male: ['m', 'man', 'men', 'boy'],
  female: ['f', 'woman', 'women', 'girl'],
});

export const mood = reader(MOODS, {
  very_happy: ['veryhappy'],
  unhappy: ['sad'],
  very_unhappy: ['veryunhappy', 'very_sad'],
});

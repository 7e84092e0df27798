/*
 * The lists in this file contain the allowed values of dataset columns. If a list contains `unknown`, text that matches no value
 * of the list is stored as `unknown`, and a metric counts it.
 */

export const POP_TYPES = ['VIEWER', 'FOOTFALL', 'VEHICLE', 'ESTIMATED', 'NONE', 'UNMEASURED'] as const;
export const POPULATIONS = ['VIEWER', 'FOOTFALL', 'VEHICLE'] as const;
export const PLAY_REASONS = [
  'scheduled',
  'triggered',
  'interrupt',
  'programmatic',
  'synchronised',
  'filler',
  'manual',
  'unknown',
] as const;
export const GENDERS = ['male', 'female', 'unknown'] as const;
export const AGE_CATEGORIES = ['child', 'young_adult', 'adult', 'senior', 'unknown'] as const;
export const MOODS = ['very_happy', 'happy', 'neutral', 'unhappy', 'very_unhappy', 'unknown'] as const;

export type PopType = (typeof POP_TYPES)[number];
export type Population = (typeof POPULATIONS)[number];
export type PlayReason = (typeof PLAY_REASONS)[number];
export type Gender = (typeof GENDERS)[number];
export type AgeCategory = (typeof AGE_CATEGORIES)[number];
export type Mood = (typeof MOODS)[number];

/** States of an app on a device. */
export const APP_STATES = ['running', 'stopped'] as const;
export type AppState = (typeof APP_STATES)[number];

/** Kinds of entities that are online or offline, depending on their heartbeats. */
export const LIVENESS_KINDS = ['device', 'feeder'] as const;
export type LivenessKind = (typeof LIVENESS_KINDS)[number];

export const STATUSES = ['online', 'offline'] as const;
export type Status = (typeof STATUSES)[number];

/* If a list contains `unknown`, reports show text that matches no value as `unknown`. */

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
export type AgeCategory = (typeof AGE_CATEGORIES)[number];

export const APP_STATES = ['running', 'stopped'] as const;
export type AppState = (typeof APP_STATES)[number];

export const LIVENESS_KINDS = ['device', 'feeder'] as const;
export type LivenessKind = (typeof LIVENESS_KINDS)[number];

export const STATUSES = ['online', 'offline'] as const;
export type Status = (typeof STATUSES)[number];

/** Why no mapping has converted an event to a play. `no_zone`: the event has a local time without a known time zone. */
export const QUARANTINE_CODES = [
  'no_mapping',
  'missing',
  'unparsable',
  'invalid',
  'no_zone',
  'skipped_hour',
  'too_old',
] as const;
export type QuarantineCode = (typeof QUARANTINE_CODES)[number];

/** Each role includes the rights of the roles before it. */
export const OPERATOR_ROLES = ['viewer', 'operator', 'admin'] as const;
export type OperatorRole = (typeof OPERATOR_ROLES)[number];

export const includesRole = (role: OperatorRole, needed: OperatorRole): boolean =>
  OPERATOR_ROLES.indexOf(role) >= OPERATOR_ROLES.indexOf(needed);

export const describeVocabulary = (meaning: string, values: readonly string[]): string => {
  const known = values.filter((value) => value !== 'unknown').map((value) => `\`${value}\``);
  return `${meaning}: ${known.join(', ')}, in upper or lower case. A word that the service does not know is reported as \`unknown\`.`;
};

import type { PopEvent } from '@popsvc/contracts/commands';
import type { PopRecorded } from '@popsvc/contracts/events';
import { stringify } from 'safe-stable-stringify';
import { toUtcInstant } from './utc.ts';

/** A play as the log keeps it: as sent, its instant in UTC with milliseconds. */
export const toPopRecorded = (play: PopEvent): PopRecorded => ({ ...play, playedAt: toUtcInstant(play.playedAt) });

/**
 * What a play says, as one text: keys sorted at every depth, instants in one form. The same play written otherwise gives
 * the same text; another text under the same id is a conflict (decisions 4.5).
 */
export const canonicalContent = (play: PopEvent | PopRecorded): string => stringify(toPopRecorded(play));

/** The states of a screen in an hour, by the letter that represents the state in reports. */
export const CELLS = {
  p: { name: 'playing', about: 'A play began in the hour.' },
  s: { name: 'silent', about: 'The site was open and the device sent heartbeats in the hour, but no play began.' },
  o: { name: 'offline', about: 'The site was open, but the device sent no heartbeat in the hour, and no play began.' },
  b: {
    name: 'backfilled',
    about:
      'Its device was recorded as offline; heartbeats or plays of that time arrived later, by more than five minutes.',
  },
  c: { name: 'closed', about: 'The site is closed in the whole hour, and no play began.' },
  e: { name: 'expected', about: 'The hour has not begun, and the site is open in it.' },
  '-': { name: 'unknown', about: 'No information: before the registration of the screen, or without a device.' },
} as const;

export type Cell = keyof typeof CELLS;
export type CellName = (typeof CELLS)[Cell]['name'];

export const cellLetters = Object.keys(CELLS) as Cell[];

/**
 * For the state `backfilled`: a heartbeat or play is late if it is received more than this many ms after the time of the heartbeat or the
 * end of the play.
 */
export const lateAfterMs = 300_000;

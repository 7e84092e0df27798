/** What is known of a screen in an hour: a letter, its name, and what it means. Told once, for answers, pages and people. */
export const CELLS = {
  p: { name: 'playing', about: 'A play that stands began in the hour.' },
  s: { name: 'silent', about: 'Its device was heard in the hour, but nothing began to play.' },
  o: { name: 'offline', about: 'Its device was not heard in the hour, and nothing began to play.' },
  b: {
    name: 'backfilled',
    about:
      'Its device was known as offline, and heartbeats or plays of that time came afterwards, more than five minutes late.',
  },
  '-': { name: 'unknown', about: 'Nothing is known: before it was registered, without a device, or still to come.' },
} as const;

export type Cell = keyof typeof CELLS;
export type CellName = (typeof CELLS)[Cell]['name'];

export const cellLetters = Object.keys(CELLS) as Cell[];

/** Later than this after its instant, a heartbeat or the end of a play came late. */
export const lateAfterMs = 300_000;

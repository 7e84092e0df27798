/** What an hour of a screen was. Told by shape as well as by colour: what is missing is lower. */
export const letters = [
  { letter: 'p', name: 'Playing', about: 'a play began in the hour' },
  { letter: 'b', name: 'Backfilled', about: 'it was away, and told of the hour later' },
  { letter: 's', name: 'Online but silent', about: 'heard, and nothing played' },
  { letter: 'o', name: 'Offline', about: 'not heard at all' },
  { letter: '-', name: 'Not known', about: 'before it was registered, or still to come' },
] as const;

export type Letter = (typeof letters)[number]['letter'];

export const nameOf = (letter: string): string => letters.find((each) => each.letter === letter)?.name ?? 'Not known';

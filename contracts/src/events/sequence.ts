/*
 * An event may contain a list of items, such as plays; an event without a list is one item. The sequence of an item is a number
 * that gives its place among all items of the log (see `sequenceOf`). ClickHouse rows, their versions, and cursors are based on
 * sequences.
 */

/** Sequences that each log position has: a power of two, greater than the maximum number of items of an event. */
const sequencesPerEvent = 1_024n;

/**
 * The highest log position that is supported. Its sequences fit a bigint of PostgreSQL. Row versions, at most twice a sequence plus
 * one, fit a UInt64 of ClickHouse.
 */
const maxPosition = 2n ** 53n - 1n;

/** Returns the sequence of an item: 1,024 × the log position of its event + its index in the event. */
export const sequenceOf = (position: bigint, index = 0): bigint => position * sequencesPerEvent + BigInt(index);

/** Returns an upper bound of the sequences of all events up to a log position. All later events have higher sequences. */
export const lastSequenceAt = (position: bigint): bigint => sequenceOf(position, Number(sequencesPerEvent) - 1);

/**
 * Returns the lowest version of rows that are written after all rows of events up to a log position. The version of a row is twice
 * the rank of its batch, plus one unless the row is a tombstone. The rank of a new batch is its last sequence. A batch that is
 * repeated after its progress was stored gets a higher rank.
 */
export const versionAfter = (position: bigint): bigint => 2n * (lastSequenceAt(position) + 1n);

/** The event of an item, and the index of the item in the event. */
export interface ItemPlace {
  readonly position: bigint;
  readonly index: number;
}

export const placeOf = (sequence: bigint): ItemPlace => ({
  position: sequence / sequencesPerEvent,
  index: Number(sequence % sequencesPerEvent),
});

/** Returns the text by which operators refer to an item: `position:index`. */
export const formatItemId = (sequence: bigint): string => {
  const { position, index } = placeOf(sequence);
  return `${position}:${index}`;
};

/** Returns the text that messages put before the name of a stream: `at position 30930:0 in `. */
export const describePlace = (sequence: bigint): string => `at position ${formatItemId(sequence)} in `;

/**
 * Parses the text by which operators refer to an item: `position:index`, or `position` for index 0. Returns the sequence of the
 * item, or undefined for any other text.
 */
export const parseItemId = (text: string): bigint | undefined => {
  const [, position, index = '0'] = /^(\d{1,16})(?::(\d{1,4}))?$/.exec(text) ?? [];
  if (position === undefined || BigInt(position) > maxPosition || BigInt(index) >= sequencesPerEvent) return undefined;
  return sequenceOf(BigInt(position), Number(index));
};

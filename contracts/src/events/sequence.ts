/*
 * The sequence of an item: its place in the order of all items of the log. Rows, cursors and versions of rows use sequences. An event
 * without a list is an item with index 0.
 */

/** Number of sequences of one event: a power of two above the maximum number of its items. */
const sequencesPerEvent = 1_024n;

/**
 * The highest log position whose sequences fit a bigint of PostgreSQL and whose row versions, at most twice a sequence plus one,
 * fit a UInt64 of ClickHouse.
 */
const maxPosition = 2n ** 53n - 1n;

/** Returns the sequence of an item: 1,024 × the log position of its event + its index in the event. */
export const sequenceOf = (position: bigint, index = 0): bigint => position * sequencesPerEvent + BigInt(index);

/** Returns a sequence that is at or above all sequences of events up to a log position, and below all others. */
export const lastSequenceAt = (position: bigint): bigint => sequenceOf(position, Number(sequencesPerEvent) - 1);

/**
 * Returns the lowest version that a row can have if its event comes after a log position. The version of a row is twice the last
 * sequence of its batch, plus one unless the row is a tombstone. Rows that a restarted projector derives again have versions above
 * those of the last batch before the restart.
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

/** Returns the text that names an item to operators: `position:index`. */
export const formatItemId = (sequence: bigint): string => {
  const { position, index } = placeOf(sequence);
  return `${position}:${index}`;
};

/** Returns the beginning of a place in messages, which the name of the stream follows: `at position 30930:0 in `. */
export const describePlace = (sequence: bigint): string => `at position ${formatItemId(sequence)} in `;

/**
 * Returns the sequence of the item that a text names: `position:index`, or `position` for index 0. Returns undefined for any other
 * text.
 */
export const parseItemId = (text: string): bigint | undefined => {
  const [, position, index = '0'] = /^(\d{1,16})(?::(\d{1,4}))?$/.exec(text) ?? [];
  if (position === undefined || BigInt(position) > maxPosition || BigInt(index) >= sequencesPerEvent) return undefined;
  return sequenceOf(BigInt(position), Number(index));
};

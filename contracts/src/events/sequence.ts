/* The sequence of an item orders all items of the log; an event without a list is one item. */

/** A power of two, greater than the maximum number of items of an event. */
const sequencesPerEvent = 1_024n;

/** Sequences up to here fit a bigint of PostgreSQL. Row versions, at most twice a sequence plus one, fit a UInt64 of ClickHouse. */
const maxPosition = 2n ** 53n - 1n;

/** Returns 1,024 × the log position + the index of the item in its event. */
export const sequenceOf = (position: bigint, index = 0): bigint => position * sequencesPerEvent + BigInt(index);

/** An upper bound of the sequences of all events up to a log position; later events have higher sequences. */
export const lastSequenceAt = (position: bigint): bigint => sequenceOf(position, Number(sequencesPerEvent) - 1);

/** Returns a version above those of the rows that batches up to a log position write: at most twice their last sequence plus one. */
export const versionAfter = (position: bigint): bigint => 2n * (lastSequenceAt(position) + 1n);

export interface ItemPlace {
  readonly position: bigint;
  readonly index: number;
}

export const placeOf = (sequence: bigint): ItemPlace => ({
  position: sequence / sequencesPerEvent,
  index: Number(sequence % sequencesPerEvent),
});

export const formatItemId = (sequence: bigint): string => {
  const { position, index } = placeOf(sequence);
  return `${position}:${index}`;
};

export const describePlace = (sequence: bigint): string => `at position ${formatItemId(sequence)} in `;

/** Accepts `position:index`, and `position` for index 0. Returns undefined for invalid text. */
export const parseItemId = (text: string): bigint | undefined => {
  const [, position, index = '0'] = /^(\d{1,16})(?::(\d{1,4}))?$/.exec(text) ?? [];
  if (position === undefined || BigInt(position) > maxPosition || BigInt(index) >= sequencesPerEvent) return undefined;
  return sequenceOf(BigInt(position), Number(index));
};

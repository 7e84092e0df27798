/** Facts of a batch: those that stand in its stretch of the log, and those further back that it takes late. */
export const isInBatch = (position = 'pos'): string =>
  `(${position} > {after:UInt64} AND ${position} <= {upTo:UInt64} OR ${position} IN {late:Array(UInt64)})`;

/** A batch that takes facts late may have come by one that stands before others of its kind. */
export const hasLateFacts = 'notEmpty({late:Array(UInt64)})';

/**
 * Facts that count. Where a batch is folded again there may be some of a later one that ended midway: what follows of them is not
 * there yet, and rows made of them here, with versions from before, could not take the place of others.
 */
export const isKnown = (position = 'pos'): string => `${position} <= {known:UInt64}`;

const everything = 2n ** 64n - 1n;

export const knownParameter = (upTo: bigint, reached: bigint | undefined): { readonly known: string } => ({
  known: (reached === undefined ? everything : reached > upTo ? reached : upTo).toString(),
});

/** What statements that ask for them need to know. */
export const batchParameters = ({
  after,
  upTo,
  late = [],
}: {
  readonly after: bigint;
  readonly upTo: bigint;
  readonly late?: readonly bigint[];
}) => ({ after: after.toString(), upTo: upTo.toString(), late: `[${late.join(',')}]` });

/** Facts of a batch: those that stand in its stretch of the log, and those further back that it takes late. */
export const inBatch = (position = 'pos'): string =>
  `(${position} > {after:UInt64} AND ${position} <= {upTo:UInt64} OR ${position} IN {late:Array(UInt64)})`;

/** A batch that takes facts late may have come by one that stands before others of its kind. */
export const hasLate = 'notEmpty({late:Array(UInt64)})';

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

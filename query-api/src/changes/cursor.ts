import { z } from 'zod';

/** A time in ms since 1970, within the range of a ClickHouse DateTime64. */
const Instant = z.int().min(0).max(Date.UTC(2299, 0));
const Version = z
  .string()
  .regex(/^\d{1,20}$/)
  .refine((text) => BigInt(text) < 2n ** 64n);

/**
 * Where the next page continues if one page cannot contain all changes of names. Renames come first: `after` is the index of the kind and
 * the id of the last one. Rows that show other changed values of the registry follow: `after` is the `ts` (`ms`) and the number of the last
 * one, or zeros before the first one.
 */
const NamesScan = z.object({
  /** The end of the time range of the scan. The first page determines it; names that change later belong to the next scan. */
  toMs: Instant,
  after: z.union([
    z.object({ kind: z.int().min(0), id: z.int().min(0) }),
    z.object({ ms: Instant, number: z.int().min(0) }),
  ]),
});

/** How far a client has read the changes of a report. The client receives the cursor as opaque text. */
const ChangesCursor = z.object({
  dataset: z.string(),
  network: z.int(),
  generation: z.int().min(1),
  /** The client has read all rows up to this version. */
  version: Version,
  /** The last row that the client has read above `version`; undefined if it has read none. The next page begins after this row. */
  after: z.object({ version: Version, ms: Instant, number: z.int().min(0) }).optional(),
  /** The client has the names that changed up to this time. */
  namesMs: Instant,
  names: NamesScan.optional(),
});
export type ChangesCursor = z.output<typeof ChangesCursor>;

export const formatChangesCursor = (cursor: ChangesCursor): string =>
  Buffer.from(JSON.stringify(cursor)).toString('base64url');

/** Returns undefined if the text is not a valid cursor. */
export const parseChangesCursor = (text: string): ChangesCursor | undefined => {
  try {
    return ChangesCursor.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString())).data;
  } catch {
    return undefined;
  }
};

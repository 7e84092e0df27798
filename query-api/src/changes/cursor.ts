import { z } from 'zod';

/** ms since 1970, in the range of ClickHouse. */
const Instant = z.int().min(0).max(Date.UTC(2299, 0));
const Version = z
  .string()
  .regex(/^\d{1,20}$/)
  .refine((text) => BigInt(text) < 2n ** 64n);

/**
 * Where the next page continues within the changes of names. Renames come first: after this kind and id. Then the rows of the report
 * that show a changed value without an id: after this row, by start and number.
 */
const NamesScan = z.object({
  /** Names that changed up to then are part of the scan. */
  toMs: Instant,
  after: z.union([
    z.object({ kind: z.int().min(0), id: z.int().min(0) }),
    z.object({ ms: Instant, number: z.int().min(0) }),
  ]),
});

/** How far a reader of the changes has read. Its text is opaque to readers. */
const ChangesCursor = z.object({
  dataset: z.string(),
  network: z.int(),
  generation: z.int().min(1),
  /** Rows up to this version were read. */
  version: Version,
  /** The last row that was read beyond `version`; undefined if none was. The next rows follow it. */
  after: z.object({ version: Version, ms: Instant, number: z.int().min(0) }).optional(),
  /** Names that changed up to then were read. */
  namesMs: Instant,
  names: NamesScan.optional(),
});
export type ChangesCursor = z.output<typeof ChangesCursor>;

export const formatChangesCursor = (cursor: ChangesCursor): string =>
  Buffer.from(JSON.stringify(cursor)).toString('base64url');

/** Returns undefined for a text that is no cursor. */
export const parseChangesCursor = (text: string): ChangesCursor | undefined => {
  try {
    return ChangesCursor.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString())).data;
  } catch {
    return undefined;
  }
};

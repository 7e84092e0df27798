import { z } from 'zod';

/** Ms since 1970, within the range of a ClickHouse DateTime64. */
const Instant = z.int().min(0).max(Date.UTC(2299, 0));
const Version = z
  .string()
  .regex(/^\d{1,20}$/)
  .refine((text) => BigInt(text) < 2n ** 64n);

/**
 * Where the next page of changed names continues: after a rename (`kind`, `id`) or, after the last rename, after a row (`ms`, `number`;
 * both are 0 before the first row).
 */
const NamesScan = z.object({
  /** End of the scan, which the first page determines. Later changes belong to the next scan. */
  toMs: Instant,
  after: z.union([
    z.object({ kind: z.int().min(0), id: z.int().min(0) }),
    z.object({ ms: Instant, number: z.int().min(0) }),
  ]),
});

/** How far a client has read. The client must treat the cursor as opaque text. */
const ChangesCursor = z.object({
  dataset: z.string(),
  network: z.int(),
  generation: z.int().min(1),
  /** All rows up to this version are read. */
  version: Version,
  /** Last row read above `version`. */
  after: z.object({ version: Version, ms: Instant, number: z.int().min(0) }).optional(),
  /** The client has the rows of everything received up to this time. Cursors of earlier releases lack it. */
  asOfMs: Instant.default(0),
  /** The client has the names that changed up to this time. */
  namesMs: Instant,
  names: NamesScan.optional(),
});
export type ChangesCursor = z.output<typeof ChangesCursor>;

export const formatChangesCursor = (cursor: ChangesCursor): string =>
  Buffer.from(JSON.stringify(cursor)).toString('base64url');

export const parseChangesCursor = (text: string): ChangesCursor | undefined => {
  try {
    return ChangesCursor.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString())).data;
  } catch {
    return undefined;
  }
};

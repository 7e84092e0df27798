import { Refusal } from '@popsvc/contracts/errors';
import type { Reader, Sql } from '@popsvc/platform/read-store';
import { sampled } from '@popsvc/platform/runtime';
import { lackingQuery } from '../queries/index.ts';

const [freshMs, patienceMs, retryAfterSeconds] = [1_000, 1_000, 60];

/**
 * A reader that refuses to read what is newer than the live generation: it would find nothing from before an upgrade, and an
 * answer that lacks it would be a wrong one. A query names its tables in its text; values never stand there.
 */
export const exceptLacking = (reader: Reader): Reader => {
  // An older schema has no such view, and lacks nothing that it knows of.
  const lacking = sampled(
    async () => (await reader.rows<{ name: string }>(lackingQuery).catch(() => [])).map(({ name }) => name),
    { freshMs, patienceMs },
  );
  const require = async ({ texts }: Sql): Promise<void> => {
    for (const name of (await lacking()) ?? []) {
      const own = new RegExp(`\\b${name}_(?:live|g\\d+)\\b`);
      if (texts.some((text) => own.test(text)))
        throw new Refusal('UNAVAILABLE', 'This is being built after an upgrade; try again later.', {
          retryAfterSeconds,
        });
    }
  };
  return {
    ...reader,
    async lines(query, options) {
      await require(query);
      return reader.lines(query, options);
    },
    async rows<Row>(query: Sql, options?: Parameters<Reader['rows']>[1]) {
      await require(query);
      return reader.rows<Row>(query, options);
    },
    async stream(query, format, options) {
      await require(query);
      return reader.stream(query, format, options);
    },
  };
};

import { randomUUID } from 'node:crypto';
import { generationTable } from '@popsvc/platform/clickhouse';
import type { PendingInsert } from './projection.ts';
import type { PartTask } from './parallel-build/task.ts';

/** Told again they change nothing; the token is one of its own each time, for one told again after a crash can lose data. */
export const writeFacts = async (
  { writer, generation, assertHeld }: Pick<PartTask, 'writer' | 'generation' | 'assertHeld'>,
  inserts: readonly PendingInsert[],
): Promise<void> => {
  assertHeld();
  await Promise.all(
    inserts.map(({ table, batch }) =>
      writer.insert({
        table: generationTable(table, generation),
        columns: Object.keys(table.fields),
        body: batch.body(),
        token: randomUUID(),
      }),
    ),
  );
};

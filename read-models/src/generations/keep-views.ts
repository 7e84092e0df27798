import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import type { Postgres } from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/telemetry';
import type { ProjectionDeclaration } from './projection-declaration.ts';
import { createAnalystViews, findMissingAnalystViews } from './ensure-analysts.ts';
import { findGenerations, withReaderLock } from './live-generations.ts';
import { pointAnalystRowsAt, findGenerationsHiddenFromAnalysts } from './own-rows.ts';

export interface AnalystViewDependencies {
  readonly writer: ClickHouseWriter;
  readonly postgres: Postgres;
  readonly projections: readonly ProjectionDeclaration[];
  readonly log: Log;
}

const everyMs = 30_000;

/**
 * Has analysts see what is live, where that is not so: a server may have refused when it was switched, or when the service was
 * started. Until then they see the generation before, of their own networks as ever. True: there was something to do.
 */
export const repairAnalystViews = async ({
  writer,
  postgres,
  projections,
}: AnalystViewDependencies): Promise<boolean> => {
  const look = async () => {
    const live = await findGenerations(postgres, projections, 'live', 'own');
    return {
      unseen: await findGenerationsHiddenFromAnalysts(writer, live),
      missing: await findMissingAnalystViews(writer),
    };
  };
  const before = await look();
  if (before.unseen.length === 0 && before.missing.length === 0) return false;
  await withReaderLock(postgres, async () => {
    const { unseen, missing } = await look();
    for (const each of unseen) await pointAnalystRowsAt(writer, each);
    if (missing.length > 0) await createAnalystViews(writer);
  });
  return true;
};

/** The same again and again; what is wrong is told once. */
export const runAnalystViewRepair = async (parts: AnalystViewDependencies, signal: AbortSignal): Promise<void> => {
  const { log } = parts;
  let failing = false;
  const isOver = () => sleep(everyMs, false, { signal }).catch(() => true);
  while (!(await isOver())) {
    try {
      if (await repairAnalystViews(parts)) log.info('analysts see again what is live');
      failing = false;
    } catch (err) {
      if (!failing) log.warn({ err }, 'analysts do not see all that is live; it is tried again');
      failing = true;
    }
  }
};

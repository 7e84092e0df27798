import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import type { Postgres } from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/telemetry';
import { syncGrants } from './tell-grants.ts';

const everyMs = 5_000;

/** So that what could not be told at once, for ClickHouse was away, is in force a few seconds after it is back. */
export const runGrantSync = async (
  writer: ClickHouseWriter,
  postgres: Postgres,
  log: Log,
  signal: AbortSignal,
): Promise<void> => {
  let failing = false;
  while (!signal.aborted) {
    await syncGrants(writer, postgres).then(
      () => (failing = false),
      (err: unknown) => {
        if (!failing) log.warn({ err }, 'what analysts may see cannot be told to ClickHouse');
        failing = true;
      },
    );
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
};

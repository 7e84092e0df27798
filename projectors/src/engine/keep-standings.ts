import { type Postgres, writeProjectionStatuses } from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/telemetry';
import type { StatusRegistry } from './board.ts';

const everyMs = 2_000;

/** Writes down every two seconds how what this process works on stands, so that every process can tell. Returns what ends it. */
export const persistStatuses = (postgres: Postgres, board: StatusRegistry, owner: string, log: Log): (() => void) => {
  const tell = async () => {
    // Of what waits, the process that has it tells.
    const own = board.statuses.filter(({ state }) => state !== 'waiting');
    await writeProjectionStatuses(
      postgres,
      own.map(({ name, generation, state, error, asOfMs }) => ({
        projection: name,
        generation,
        state,
        error,
        owner,
        asOfMs,
      })),
    );
  };
  const beat = () => void tell().catch((err: unknown) => log.warn({ err }, 'how projections stand was not written'));
  beat();
  const timer = setInterval(beat, everyMs);
  return () => clearInterval(timer);
};

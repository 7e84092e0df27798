import { type Postgres, writeProjectionStatuses } from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/telemetry';
import type { Board } from './board.ts';

const everyMs = 2_000;

/** Writes down every two seconds how what this process works on stands, so that every process can tell. Returns what ends it. */
export const keepStandings = (postgres: Postgres, board: Board, owner: string, log: Log): (() => void) => {
  const tell = async () => {
    // Of what waits, the process that has it tells.
    const own = board.standings.filter(({ state }) => state !== 'waiting');
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

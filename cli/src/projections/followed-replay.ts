import { setTimeout as sleep } from 'node:timers/promises';
import type { Ops } from '../service-client/ops-client.ts';

/** A replay or rollback as the operations server tells it. */
export interface ToldReplay {
  readonly id: number;
  readonly name: string;
  readonly kind: 'replay' | 'rollback';
  readonly state: string;
  readonly from_generation: number;
  readonly to_generation: number;
  readonly events: number;
  readonly total_events: number | null;
  readonly events_per_second: number;
  readonly seconds: number;
  readonly seconds_left: number | null;
  readonly verified: boolean;
  /** What is done besides folding, once that is all. */
  readonly step: { readonly name: 'rows' | 'log'; readonly done: number; readonly of: number } | null;
  readonly accounts:
    | readonly {
        readonly type: string;
        readonly in_log: number;
        readonly with_rows: number;
        readonly skipped: number;
        readonly without_rows: number;
      }[]
    | null;
  readonly differences: readonly {
    readonly table: string;
    readonly network: number;
    readonly day: string | null;
    readonly rows_before: number;
    readonly rows_after: number;
  }[];
  readonly paused_seconds: number;
  readonly error: string | null;
  readonly ended_at: string | null;
}

const everyMs = 500;
/** It goes on without us; a service that is away for a while is waited for. */
const patienceMs = 120_000;

/** Asks how it goes until it has ended. */
export const followedReplay = async (
  ops: Ops,
  started: ToldReplay,
  onProgress: (now: ToldReplay) => void,
): Promise<ToldReplay> => {
  let now = started;
  while (now.ended_at === null) {
    await sleep(everyMs);
    now = await ops<ToldReplay>(`/replays/${started.id}`, { patienceMs });
    onProgress(now);
  }
  return now;
};

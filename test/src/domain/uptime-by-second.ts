import type { AppHeartbeat, IntervalRecord } from '@popsvc/domain/uptime';
import type { AppState } from '@popsvc/contracts/vocabulary';

const silence = 180;

/** A record and the seconds it covers. */
interface CoveredRecord {
  readonly state: AppState;
  readonly start: number;
  readonly lastHeartbeat: number | null;
  readonly covers: (second: number) => boolean;
}

/**
 * Computes the uptime of an app second by second: a slow and simple specification. All instants must be whole
 * seconds.
 */
export const uptimeBySecond = (
  history: { readonly beats: readonly AppHeartbeat[]; readonly pushed: readonly IntervalRecord[] },
  window: { readonly from: number; readonly to: number },
  nowMs: number,
) => {
  const now = nowMs / 1_000;
  const pushed = history.pushed.filter(({ startedAtMs }) => startedAtMs <= nowMs);
  const stateBySecond = new Map<number, AppState>();
  for (let second = 0; second <= now; second += 1) {
    const here = history.beats.filter(({ atMs }) => atMs === 1_000 * second);
    if (here.length > 0)
      stateBySecond.set(second, here.some(({ state }) => state === 'stopped') ? 'stopped' : 'running');
  }
  const at = [...stateBySecond.keys()];

  // A heartbeat continues the run of the previous one, unless a silence or another state is in between.
  const groups: number[][] = [];
  for (const second of at) {
    const before = groups.at(-1)?.at(-1);
    const isContinued =
      before !== undefined && second - before <= silence && stateBySecond.get(before) === stateBySecond.get(second);
    if (isContinued) groups.at(-1)!.push(second);
    else groups.push([second]);
  }

  const starts = [...groups.map((group) => group[0]!), ...pushed.map(({ startedAtMs }) => startedAtMs / 1_000)];
  const isNewest = (start: number) => starts.every((other) => other <= start);

  const formed = groups.map((group): CoveredRecord => {
    const [start, last] = [group[0]!, group.at(-1)!];
    const next = at.find((second) => second > last);
    const covers = (second: number): boolean => {
      if (second < start) return false;
      if (second < last) return true;
      if (next !== undefined) return next - last <= silence && second < next;
      return isNewest(start) && second < now && second < last + silence;
    };
    return { state: stateBySecond.get(start)!, start, lastHeartbeat: last, covers };
  });
  const given = pushed.map(({ state, startedAtMs, endedAtMs, lastHeartbeatAtMs }): CoveredRecord => {
    const start = startedAtMs / 1_000;
    const last = lastHeartbeatAtMs === null ? null : lastHeartbeatAtMs / 1_000;
    const covers = (second: number): boolean => {
      if (second < start) return false;
      if (endedAtMs !== null) return second < endedAtMs / 1_000;
      if (isNewest(start)) return second < now && second < (last ?? start) + silence;
      return second < (last ?? start);
    };
    return { state, start, lastHeartbeat: last, covers };
  });

  const records = [...formed, ...given];
  const [from, to] = [window.from / 1_000, window.to / 1_000];
  const seconds = Array.from({ length: to - from }, (_, index) => from + index);
  const inWindow = records.filter(({ start, covers }) => seconds.some((second) => second === start || covers(second)));
  const newest = inWindow.filter(({ start }) => inWindow.every((other) => other.start <= start));
  const none = { state: 'stopped' as AppState, sinceMs: window.from, lastHeartbeatMs: null };
  return {
    runningSeconds: seconds.filter((second) => records.some(({ covers }) => covers(second))).length,
    intervalCount: inWindow.length,
    /** Several if records begin at the same time. */
    latest:
      newest.length === 0
        ? [none]
        : newest.map(({ state, start, lastHeartbeat: last }) => ({
            state,
            sinceMs: 1_000 * start,
            lastHeartbeatMs: last === null ? null : 1_000 * last,
          })),
  };
};

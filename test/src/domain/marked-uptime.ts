import type { AppHeartbeat, IntervalRecord } from '@popsvc/domain/uptime';
import type { AppState } from '@popsvc/contracts/vocabulary';

const silence = 180;

/** A record as the seconds that it covers. */
interface Marks {
  readonly state: AppState;
  readonly start: number;
  readonly heard: number | null;
  readonly covers: (second: number) => boolean;
}

/**
 * The uptime of an app as decisions 8 say it, word for word and second by second: slow, and with nothing clever. All instants
 * must be whole seconds.
 */
export const markedUptime = (
  told: { readonly beats: readonly AppHeartbeat[]; readonly pushed: readonly IntervalRecord[] },
  window: { readonly from: number; readonly to: number },
  nowMs: number,
) => {
  const now = nowMs / 1_000;
  const pushed = told.pushed.filter(({ startedAtMs }) => startedAtMs <= nowMs);
  const heard = new Map<number, AppState>();
  for (let second = 0; second <= now; second += 1) {
    const here = told.beats.filter(({ atMs }) => atMs === 1_000 * second);
    if (here.length > 0) heard.set(second, here.some(({ state }) => state === 'stopped') ? 'stopped' : 'running');
  }
  const at = [...heard.keys()];

  // Each heartbeat belongs to the run of the one before, unless a silence or another state lies between.
  const groups: number[][] = [];
  for (const second of at) {
    const before = groups.at(-1)?.at(-1);
    const goesOn = before !== undefined && second - before <= silence && heard.get(before) === heard.get(second);
    if (goesOn) groups.at(-1)!.push(second);
    else groups.push([second]);
  }

  const starts = [...groups.map((group) => group[0]!), ...pushed.map(({ startedAtMs }) => startedAtMs / 1_000)];
  const isNewest = (start: number) => starts.every((other) => other <= start);

  const formed = groups.map((group): Marks => {
    const [start, last] = [group[0]!, group.at(-1)!];
    const next = at.find((second) => second > last);
    const covers = (second: number): boolean => {
      if (second < start) return false;
      if (second < last) return true;
      if (next !== undefined) return next - last <= silence && second < next;
      return isNewest(start) && second < now && second < last + silence;
    };
    return { state: heard.get(start)!, start, heard: last, covers };
  });
  const given = pushed.map(({ state, startedAtMs, endedAtMs, lastHeartbeatAtMs }): Marks => {
    const start = startedAtMs / 1_000;
    const last = lastHeartbeatAtMs === null ? null : lastHeartbeatAtMs / 1_000;
    const covers = (second: number): boolean => {
      if (second < start) return false;
      if (endedAtMs !== null) return second < endedAtMs / 1_000;
      if (isNewest(start)) return second < now && second < (last ?? start) + silence;
      return second < (last ?? start);
    };
    return { state, start, heard: last, covers };
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
    /** Several when records begin together. */
    latest:
      newest.length === 0
        ? [none]
        : newest.map(({ state, start, heard: last }) => ({
            state,
            sinceMs: 1_000 * start,
            lastHeartbeatMs: last === null ? null : 1_000 * last,
          })),
  };
};

import { signal } from '@preact/signals';
import { useEffect, useReducer, useRef, useState } from 'preact/hooks';

/** What was asked of the server: the last answer stays while the next is awaited. */
export interface Asked<Data> {
  readonly data: Data | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  /** Asks again. */
  readonly again: () => void;
}

/** Grows when the server is back after it was away: everything that is shown is asked for again. */
export const revivals = signal(0);

/** An answer that takes longer is given up: the connection may be dead. */
const patienceMs = 30_000;

/**
 * Asks when it is first shown, when `key` is another, when the server is back, and every so many ms, but not while an answer is
 * awaited: a slow server would never come to give one. An answer to a key that is no longer wanted is dropped; `resets` has another
 * key show nothing until its own answer is there.
 */
export const useAsked = <Data>(
  key: string,
  ask: (signal: AbortSignal) => Promise<Data>,
  { everyMs = 0, resets = false }: { everyMs?: number; resets?: boolean } = {},
): Asked<Data> => {
  const [state, setState] = useState<{ key: string; data?: Data; error?: unknown; isLoading: boolean }>({
    key,
    isLoading: true,
  });
  const [round, again] = useReducer((count: number) => count + 1, 0);
  const latest = useRef(ask);
  latest.current = ask;
  /** Since when an answer is awaited; undefined: none is. */
  const since = useRef<number>(undefined);
  const lives = revivals.value;
  useEffect(() => {
    const end = new AbortController();
    since.current = performance.now();
    const settle = (answer: { data: Data } | { error: unknown }) => {
      if (end.signal.aborted) return;
      since.current = undefined;
      setState((before) => ({ ...('error' in answer && before), ...answer, key, isLoading: false }));
    };
    setState((before) => (resets && before.key !== key ? { key, isLoading: true } : { ...before, isLoading: true }));
    latest.current(end.signal).then(
      (data) => settle({ data }),
      (error: unknown) => settle({ error }),
    );
    return () => end.abort();
  }, [key, round, lives, resets]);
  useEffect(() => {
    if (everyMs === 0) return undefined;
    const isAwaited = () => since.current !== undefined && performance.now() - since.current < patienceMs;
    const timer = setInterval(() => document.hidden || isAwaited() || again(undefined), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  const isOther = resets && state.key !== key;
  return {
    data: isOther ? undefined : state.data,
    error: isOther ? undefined : state.error,
    isLoading: state.isLoading || isOther,
    again: () => again(undefined),
  };
};

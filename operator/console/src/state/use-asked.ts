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

/**
 * Asks when it is first shown, when `key` is another, when the server is back, and every so many ms. An answer to a key that is no
 * longer wanted is dropped; `resets` has another key show nothing until its own answer is there.
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
  const lives = revivals.value;
  useEffect(() => {
    const end = new AbortController();
    setState((before) => (resets && before.key !== key ? { key, isLoading: true } : { ...before, isLoading: true }));
    latest.current(end.signal).then(
      (data) => end.signal.aborted || setState({ key, data, isLoading: false }),
      (error: unknown) => end.signal.aborted || setState((before) => ({ ...before, key, error, isLoading: false })),
    );
    return () => end.abort();
  }, [key, round, lives, resets]);
  useEffect(() => {
    if (everyMs === 0) return undefined;
    const timer = setInterval(() => document.hidden || again(undefined), everyMs);
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

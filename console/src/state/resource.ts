import { signal } from '@preact/signals';
import { useEffect, useReducer, useRef, useState } from 'preact/hooks';

/** Data loaded from the server; the previous data remains until the next response. */
export interface Resource<Data> {
  readonly data: Data | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/** Incremented when the server is reachable again; every visible resource then reloads. */
export const reconnects = signal(0);

/** A pending request blocks reloads for at most this long, because its connection may be dead. */
const requestTimeoutMs = 30_000;

interface ResourceOptions {
  /** Time between periodic reloads. Default: 0, no periodic reload. */
  readonly everyMs?: number;
  /** Whether a new key discards the previous data at once; otherwise that data stays until the response for the new key. */
  readonly resets?: boolean;
}

/**
 * Loads data on mount, when `key` changes, after a reconnect and every `everyMs`. A periodic reload is skipped while a request is
 * pending: with a slow server, reloads would otherwise abort each request before its response. Drops responses for a previous key.
 */
export const useResource = <Data>(
  key: string,
  load: (signal: AbortSignal) => Promise<Data>,
  { everyMs = 0, resets = false }: ResourceOptions = {},
): Resource<Data> => {
  const [state, setState] = useState<{ key: string; data?: Data; error?: unknown; isLoading: boolean }>({
    key,
    isLoading: true,
  });
  const [loadCount, startLoad] = useReducer((count: number) => count + 1, 0);
  const latestLoad = useRef(load);
  latestLoad.current = load;
  /** Time at which the pending request began; undefined if none is pending. */
  const pendingSince = useRef<number>(undefined);
  const reconnectCount = reconnects.value;
  useEffect(() => {
    const controller = new AbortController();
    pendingSince.current = performance.now();
    const settle = (outcome: { data: Data } | { error: unknown }) => {
      if (controller.signal.aborted) return;
      pendingSince.current = undefined;
      setState((before) => ({ ...('error' in outcome && before), ...outcome, key, isLoading: false }));
    };
    setState((before) => (resets && before.key !== key ? { key, isLoading: true } : { ...before, isLoading: true }));
    latestLoad.current(controller.signal).then(
      (data) => settle({ data }),
      (error: unknown) => settle({ error }),
    );
    return () => controller.abort();
  }, [key, loadCount, reconnectCount, resets]);
  useEffect(() => {
    if (everyMs === 0) return undefined;
    const isPending = () =>
      pendingSince.current !== undefined && performance.now() - pendingSince.current < requestTimeoutMs;
    const timer = setInterval(() => document.hidden || isPending() || startLoad(undefined), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  const isOutdated = resets && state.key !== key;
  return {
    data: isOutdated ? undefined : state.data,
    error: isOutdated ? undefined : state.error,
    isLoading: state.isLoading || isOutdated,
    reload: () => startLoad(undefined),
  };
};

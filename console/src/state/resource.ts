import { signal } from '@preact/signals';
import { useEffect, useReducer, useRef, useState } from 'preact/hooks';

/** Data loaded from the server. During a reload, the previous data is kept until the response arrives. */
export interface Resource<Data> {
  readonly data: Data | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/** Incremented when the server becomes reachable again, which makes every visible resource reload. */
export const reconnects = signal(0);

/**
 * No periodic reload starts while a request is pending. If a request is pending for longer than this, its connection is assumed to be
 * dead, and periodic reloads resume.
 */
const requestTimeoutMs = 30_000;

interface ResourceOptions {
  /** Time between periodic reloads. Default: 0, which means no periodic reloads. */
  readonly everyMs?: number;
  /**
   * If true, the previous data is discarded as soon as the key changes; otherwise it is kept until the response for the new key
   * arrives.
   */
  readonly resets?: boolean;
}

/**
 * Loads data on mount, when `key` changes, after a reconnect and every `everyMs`. A periodic reload is skipped while a request is
 * pending; with a slow server, each reload would otherwise abort the previous request before its response. A response for a
 * previous key is discarded.
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
  /** Start time of the pending request; undefined if no request is pending. */
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

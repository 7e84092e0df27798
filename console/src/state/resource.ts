import { signal } from '@preact/signals';
import { useEffect, useReducer, useRef, useState } from 'preact/hooks';

/** The previous data is kept until other data arrives, except with `resets` after a change of the key. */
export interface Resource<Data> {
  readonly data: Data | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/** Incremented when the server becomes reachable again, which makes every visible resource reload. */
export const reconnects = signal(0);

/** After this time, a pending request no longer prevents periodic reloads, because its connection is assumed to be dead. */
const requestTimeoutMs = 30_000;

interface ResourceOptions {
  /** 0: no periodic reloads. */
  readonly everyMs?: number;
  /** Discards the previous data as soon as the key changes, not only when the response arrives. */
  readonly resets?: boolean;
}

/**
 * Skips a periodic reload while a request is pending. With a slow server, each reload would abort the previous request before its
 * response.
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

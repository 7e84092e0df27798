import type { Log } from '@popsvc/platform/telemetry';

interface PollingOptions {
  readonly intervalMs: number;
  readonly log: Log;
  readonly failure: string;
}

interface Polling {
  /** Resolves even if the first poll fails. */
  readonly firstPoll: Promise<void>;
  /** Waits for `work`. Of consecutive failures of polls and `work`, only the first is logged. Never rejects. */
  readonly attempt: (work: Promise<void>) => Promise<void>;
  readonly stop: () => void;
}

/** Calls `poll` at once, and again `intervalMs` after the end of each call. Does not keep the process running. */
export const startPolling = (poll: () => Promise<void>, { intervalMs, log, failure }: PollingOptions): Polling => {
  let [isFailing, isStopped] = [false, false];
  let timer: NodeJS.Timeout | undefined;
  const attempt = async (work: Promise<void>) => {
    try {
      await work;
      isFailing = false;
    } catch (err) {
      if (!isFailing && !isStopped) log.warn({ err }, failure);
      isFailing = true;
    }
  };
  const pollRepeatedly = async () => {
    await attempt(poll());
    if (!isStopped) timer = setTimeout(() => void pollRepeatedly(), intervalMs).unref();
  };
  return {
    firstPoll: pollRepeatedly(),
    attempt,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
};

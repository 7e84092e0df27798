import type { Log } from '@popsvc/platform/telemetry';

interface PollingOptions {
  readonly intervalMs: number;
  readonly log: Log;
  /** The message that is logged for the first of several failures in a row. */
  readonly failure: string;
}

interface Polling {
  /** Resolves when the first poll has ended, even if it failed. */
  readonly firstPoll: Promise<void>;
  /** Waits for work other than a poll, and logs its failure like that of a poll. Never rejects. */
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

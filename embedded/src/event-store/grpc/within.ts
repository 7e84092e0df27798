import { timedOut } from './failure.ts';

/** The outcome of a write, or a timeout. What has timed out may still be written; a retry with the same ids finds out. */
export const within = <T>(milliseconds: number, outcome: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(timedOut()), milliseconds);
  });
  return Promise.race([outcome, late]).finally(() => clearTimeout(timer));
};

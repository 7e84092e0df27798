/** Somebody else took too long; whether the work was done is not known. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/** The promise, or DeadlineExceeded after so many milliseconds. The work itself is not stopped. */
export const withDeadline = async <T>(work: Promise<T>, ms: number, what = 'the work'): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DeadlineExceeded(`${what} took longer than ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};

import pg from 'pg';

const { DatabaseError } = pg;

/** PostgreSQL's error classes: connection trouble (08), no more room (53), shut down, starting or cut off (57), lock wait (55P03). */
const unavailable = /^(?:08|53|57|55P03)/;
/** What pg itself says when there is no answer; it has no codes for these. */
const noAnswer = /timeout|terminated|connection error|connection ended|cannot use a pool/i;

/** Whether an error means that PostgreSQL cannot be asked now, rather than that the question was wrong. */
export const isUnavailable = (error: unknown): boolean => {
  if (error instanceof DatabaseError) return unavailable.test(error.code ?? '');
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  if (!(error instanceof Error)) return false;
  return ('syscall' in error && error.syscall !== undefined) || noAnswer.test(error.message);
};

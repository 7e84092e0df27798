import pg from 'pg';

const { DatabaseError } = pg;

/**
 * PostgreSQL's own codes: connection trouble (08), a server that only reads (25006), logins and databases that are not to be had
 * (28, 3D, 55000), deadlocks (40), no more room (53), a lock that was not to be had (55P03), shut down, starting or cut off (57).
 */
const unavailable = /^(?:08|25006|28|3D|40|53|55000|55P03|57)/;
/** What pg itself says when there is no answer; it has no codes for these. */
const noAnswer = /timeout|terminated|connection error|connection ended|cannot use a pool/i;

/** Whether an error means that PostgreSQL cannot be asked now, rather than that the question was wrong. */
export const isPostgresUnavailable = (error: unknown): boolean => {
  if (error instanceof DatabaseError) return unavailable.test(error.code ?? '');
  if (error instanceof AggregateError) return error.errors.some(isPostgresUnavailable);
  if (!(error instanceof Error)) return false;
  return ('syscall' in error && error.syscall !== undefined) || noAnswer.test(error.message);
};

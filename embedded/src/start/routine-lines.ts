import type { ProcessLine } from '../supervisor/index.ts';

/** What PostgreSQL and ClickHouse say at every start and stop; nobody need read it. */
const routine = [
  / LOG: {2}/,
  /Logging warning to/,
  /QUERY_WAS_CANCELLED/,
  // What PostgreSQL answers each time it is asked before it serves; it is asked until it does.
  /FATAL: {2}the database system is (?:starting up|not yet accepting connections|in recovery mode)/,
  /DETAIL: {2}Consistent recovery state has not been yet reached/,
];
/** Once at a start after a kill or a power cut. */
const recovers = 'database system was not properly shut down';

/** Passes on what is worth reading: of a recovery that there is one. */
export const dropRoutineLines =
  (tell: (line: ProcessLine) => void) =>
  (line: ProcessLine): void => {
    if (line.text.includes(recovers))
      tell({ ...line, text: 'was not stopped in order: it reads again what was written last, and serves after that' });
    else if (!routine.some((words) => words.test(line.text))) tell(line);
  };

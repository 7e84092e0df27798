import type { PartLine } from '../supervise/index.ts';

/** What PostgreSQL and ClickHouse say at every start and stop; nobody need read it. */
const routine = [' LOG:  ', 'Logging warning to', 'QUERY_WAS_CANCELLED'];

/** What PostgreSQL answers each time it is asked while it recovers, which it is until it serves; nothing is wrong. */
const recovering =
  /FATAL: {2}the database system is (?:starting up|not yet accepting connections|in recovery mode)|DETAIL: {2}Consistent recovery state has not been yet reached/;
/** Whoever recovers again so long after the last time is told of again. */
const forgottenMs = 30_000;

/** Passes on what is worth reading, and of a recovery that it goes on, once. */
export const unlessRoutine = (tell: (line: PartLine) => void, now = () => performance.now()) => {
  let heardAt = -Infinity;
  return (line: PartLine): void => {
    if (routine.some((words) => line.text.includes(words))) return;
    if (!recovering.test(line.text)) {
      tell(line);
      return;
    }
    const isNews = now() - heardAt > forgottenMs;
    heardAt = now();
    if (isNews)
      tell({ ...line, text: 'was not stopped in order: it reads again what was written last, and serves after that' });
  };
};

import { withDeadline, DeadlineExceeded } from '@popsvc/platform/runtime';
import { failed, type Finding, skipped } from './finding.ts';
import { reasonOf } from './trouble.ts';

/** What must answer for anything else to be looked at there. */
export type Engine = 'event store' | 'clickhouse' | 'postgresql' | 'nats';

export interface Check {
  readonly name: string;
  readonly needs: readonly Engine[];
  readonly look: () => Promise<readonly Finding[]>;
}

/** For each look; what hangs is told, and nobody waits for it longer. */
const lookMs = 4_000;

/** Runs a check to its end or to its deadline. Never throws: what goes wrong is a finding. */
export const looked = async ({ name, look }: Pick<Check, 'name' | 'look'>): Promise<readonly Finding[]> => {
  try {
    return await withDeadline(look(), lookMs, name);
  } catch (error) {
    if (error instanceof DeadlineExceeded)
      return [
        failed(
          name,
          `no answer within ${lookMs / 1_000} s`,
          'Run doctor again; if it stays, look at the load of what it asks.',
        ),
      ];
    return [failed(name, `it could not be looked at: ${reasonOf(error)}`, 'The log of the projectors says more.')];
  }
};

/** The same for one that asks engines of which some do not answer: then it is not asked. */
export const lookedWith = (check: Check, away: ReadonlySet<Engine>): Promise<readonly Finding[]> => {
  const missing = check.needs.filter((engine) => away.has(engine));
  if (missing.length === 0) return looked(check);
  return Promise.resolve([skipped(check.name, `not looked at: ${missing.join(' and ')} must answer first`)]);
};

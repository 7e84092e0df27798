import { z } from 'zod';
import { Instant, instantOf } from '../time/instant.ts';

/**
 * In ascending order. `warning`: the service works, but may fail unless an operator acts. `failed`: part of the service does not work.
 */
export const SEVERITIES = ['warning', 'failed'] as const;

export const Finding = z
  .object({
    check: z.string().describe('The check, such as `postgresql`. The reference page of the checks lists all.'),
    subject: z
      .string()
      .nullable()
      .describe('What was checked, such as a projection; null for a check without subjects.'),
    outcome: z
      .enum(['ok', ...SEVERITIES, 'skipped'])
      .describe(
        '`warning`: it works, and an operator should act or know; `failed`: something does not work; `skipped`: a store that the check needs does not answer.',
      ),
    problem: z.string().nullable().describe('Code of the problem; null if there is none.'),
    found: z.string().describe('What the check found, for people.'),
    since: Instant.nullable().describe('Null if unknown.'),
    advice: z.string().nullable().describe('What to do; null if nothing needs to be done.'),
  })
  .meta({ id: 'Finding' });
export type Finding = z.output<typeof Finding>;

export const findingTitle = ({ check, subject }: Pick<Finding, 'check' | 'subject'>): string =>
  subject === null ? check : `${check} ${subject}`;

export interface Problem {
  readonly severity: (typeof SEVERITIES)[number];
  /** A function builds the text from the `detail` of the observation. */
  readonly advice: string | ((detail: string) => string);
  /** The value at which the problem begins, for an alert with a threshold. */
  readonly threshold?: number | undefined;
  /** The value at which the problem begins, as text with its unit. */
  readonly begins?: string | undefined;
}

type ProblemLimit = Pick<Problem, 'threshold' | 'begins'>;

export const failed = (advice: Problem['advice'], limit: ProblemLimit = {}): Problem => ({
  severity: 'failed',
  advice,
  ...limit,
});
export const warning = (advice: Problem['advice'], limit: ProblemLimit = {}): Problem => ({
  severity: 'warning',
  advice,
  ...limit,
});

interface Observation {
  readonly subject?: string | null;
  readonly found: string;
}

interface ProblemObservation extends Observation {
  readonly sinceMs?: number | undefined;
  readonly detail?: string;
}

export interface Check<Code extends string = string> {
  readonly name: string;
  /** A sentence that is true if the check passes. */
  readonly about: string;
  /** If several problems can occur together, the most severe comes first. */
  readonly problems: Readonly<Record<Code, Problem>>;
  ok(observation: Observation): Finding;
  skipped(observation: Pick<Observation, 'found'>): Finding;
  problem(code: Code, observation: ProblemObservation): Finding;
}

export const createCheck = <Code extends string>(
  name: string,
  about: string,
  problems: Readonly<Record<Code, Problem>>,
): Check<Code> => {
  const none = { problem: null, since: null, advice: null };
  return {
    name,
    about,
    problems,
    ok: ({ subject = null, found }) => ({ check: name, subject, outcome: 'ok', found, ...none }),
    skipped: ({ found }) => ({ check: name, subject: null, outcome: 'skipped', found, ...none }),
    problem(code, { subject = null, found, sinceMs, detail = subject ?? '' }) {
      const { severity, advice } = problems[code];
      return {
        check: name,
        subject,
        outcome: severity,
        problem: code,
        found,
        since: sinceMs === undefined ? null : instantOf(sinceMs),
        advice: typeof advice === 'string' ? advice : advice(detail),
      };
    },
  };
};

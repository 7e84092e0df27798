import { z } from 'zod';
import { Instant, instantOf } from '../time/instant.ts';
import { CHECK_ERRORS, type ProblemDeclaration, SEVERITIES, type Severity } from './check-declaration.ts';
import { checkNames, CHECKS, type CheckName, type ProblemCode } from './checks.ts';

const legend = checkNames.map((name) => `\`${name}\`: ${CHECKS[name].about}`).join('\n');

/** The result of a check on one subject, as returned by the doctor and overview endpoints. */
export const Finding = z
  .object({
    check: z.enum(checkNames).describe(`The check, with what is true when it passes:\n${legend}`),
    subject: z
      .string()
      .nullable()
      .describe('What was checked, such as a projection; null for a check without subjects.'),
    outcome: z
      .enum(['ok', ...SEVERITIES, 'skipped'])
      .describe(
        '`warning`: it works, but will fail if nothing changes; `failed`: something does not work; `skipped`: a store that the check needs does not answer.',
      ),
    problem: z.string().nullable().describe('Code of the problem; null if there is none.'),
    found: z.string(),
    since: Instant.nullable().describe('Null if unknown.'),
    advice: z.string().nullable().describe('What to do; null if nothing needs to be done.'),
  })
  .meta({ id: 'Finding' });
export type Finding = z.output<typeof Finding>;
export type Outcome = Finding['outcome'];

/** Returns a readable title for a finding, such as `projection coffee` or `postgresql`. */
export const findingTitle = ({ check, subject }: Pick<Finding, 'check' | 'subject'>): string =>
  subject === null ? check : `${check} ${subject}`;

interface Observation {
  readonly subject?: string;
  readonly found: string;
}

const withoutProblem =
  (outcome: 'ok' | 'skipped') =>
  (check: CheckName, { subject, found }: Observation): Finding => ({
    check,
    subject: subject ?? null,
    outcome,
    problem: null,
    found,
    since: null,
    advice: null,
  });

export const reportOk = withoutProblem('ok');
export const reportSkipped = withoutProblem('skipped');

type Placeholder<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholder<Rest>
  : never;

type Problems<Check extends CheckName> = (typeof CHECKS)[Check] extends { readonly problems: infer All } ? All : never;
type AdviceOf<Check extends CheckName, Code extends ProblemCode<Check>> = Code extends keyof Problems<Check>
  ? Problems<Check>[Code] extends { readonly advice: infer Advice extends string }
    ? Advice
    : never
  : never;
type FactNames<Check extends CheckName, Code extends ProblemCode<Check>> = Exclude<
  Placeholder<AdviceOf<Check, Code>>,
  'subject'
>;

/** A problem that the evaluation of a check found. `facts` are the values of the placeholders in the advice. */
type ProblemObservation<Check extends CheckName, Code extends ProblemCode<Check>> = Observation & {
  /** When the problem began, in ms since 1970; absent if unknown. */
  readonly sinceMs?: number | undefined;
} & ([FactNames<Check, Code>] extends [never]
    ? unknown
    : { readonly facts: Readonly<Record<FactNames<Check, Code>, string>> });

const fillIn = (text: string, facts: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (placeholder, name: string) => facts[name] ?? placeholder);

/** Builds the finding for a problem. Severity and advice come from the declaration of the check. */
export const reportProblem = <Check extends CheckName, Code extends ProblemCode<Check>>(
  check: Check,
  problem: Code,
  observation: ProblemObservation<Check, Code>,
): Finding & { readonly outcome: Severity } => {
  const { subject, found, sinceMs } = observation;
  const { facts = {} } = observation as { readonly facts?: Readonly<Record<string, string>> };
  const problems: Readonly<Record<string, ProblemDeclaration>> = {
    ...CHECK_ERRORS,
    ...('problems' in CHECKS[check] && CHECKS[check].problems),
  };
  const { severity, advice } = problems[problem]!;
  return {
    check,
    subject: subject ?? null,
    outcome: severity,
    problem,
    found,
    since: sinceMs === undefined ? null : instantOf(sinceMs),
    advice: fillIn(advice, { ...(subject !== undefined && { subject }), ...facts }),
  };
};

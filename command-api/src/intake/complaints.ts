import type { Detail } from '@popsvc/contracts/errors';
import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

const longestPath = 200;

const pathText = (path: readonly PropertyKey[]): string =>
  path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');

const detail = (path: string, message: string): Detail => ({ path: path.slice(0, longestPath), message });

const told = (issue: Issue, at: string): Detail[] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys.slice(0, 100).map((key) => detail(`${at}${pathText(issue.path)}.${key}`, 'is not a known field'))
    : [detail(at + pathText(issue.path), issue.message)];

/** What zod found wrong with the item that stands at `at`, such as `events[3]`, each with the path of its field. */
export const complaintsOf = (issues: readonly Issue[], at: string): Detail[] =>
  issues.slice(0, 100).flatMap((issue) => told(issue, at));

/** Words for what zod has none for. */
export const wording: z.core.$ZodErrorMap = (issue) => {
  if (issue.input === undefined) return 'is required';
  return issue.code === 'invalid_union' ? 'is of a type that is not accepted' : undefined;
};

export const mostDetails = 100;

/**
 * At most 100 complaints. Every bad item is named before any is named twice, so that none hides behind another's many faults;
 * they stand in the order of the request.
 */
export const fairShare = (complaints: readonly (readonly Detail[])[]): readonly Detail[] => {
  const shares = complaints.slice(0, mostDetails).map(() => 1);
  let left = mostDetails - shares.length;
  shares.forEach((_, index) => {
    const more = Math.min(left, complaints[index]!.length - 1);
    shares[index]! += more;
    left -= more;
  });
  return shares.flatMap((share, index) => complaints[index]!.slice(0, share));
};

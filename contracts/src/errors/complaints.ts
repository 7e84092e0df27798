import type { z } from 'zod';
import type { ApiErrorDetail } from './api-error.ts';

type Issue = z.core.$ZodIssue;

/** A refusal tells no more than so many things; the rest shows once these are mended. */
export const maxErrorDetails = 100;
const longestPath = 200;

const pathText = (path: readonly PropertyKey[]): string =>
  path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');

const detail = (path: string, message: string): ApiErrorDetail => ({
  path: path.replace(/^\./, '').slice(0, longestPath),
  message,
});

const told = (issue: Issue, at: string): ApiErrorDetail[] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys
        .slice(0, maxErrorDetails)
        .map((key) => detail(`${at}${pathText(issue.path)}.${key}`, 'is not a known field'))
    : [detail(at + pathText(issue.path), issue.message)];

/** What zod found wrong with what stands at `at` in a request, such as `events[3]`; each thing with the path of its field. */
export const toErrorDetails = (issues: readonly Issue[], at = ''): ApiErrorDetail[] =>
  issues.slice(0, maxErrorDetails).flatMap((issue) => told(issue, at));

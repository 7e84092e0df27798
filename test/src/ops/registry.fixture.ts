import type { EventStore } from '@popsvc/platform/event-store';
import { expect } from 'chai';
import type { Reply } from './ops.fixture.ts';

type Counts = Readonly<Record<string, number>>;

export interface Applied {
  readonly created: Counts;
  readonly changed: Counts;
  readonly retired: Counts;
  readonly unchanged: Counts;
  readonly dry_run: boolean;
  readonly changes: readonly object[];
}

export const appliedOf = ({ status, body }: Reply): Applied => {
  expect(status, JSON.stringify(body)).to.equal(200);
  return body as Applied;
};

/** Stream and type of every event of the registry, in the order of the log. */
export const streams = async (store: EventStore): Promise<string[]> => {
  const stop = new AbortController();
  const lines: string[] = [];
  for await (const told of store.subscribe({ after: 'start', prefixes: ['registry-'], signal: stop.signal })) {
    if (told.kind === 'caught-up') break;
    lines.push(`${told.event.stream} ${told.event.type}`);
  }
  return lines;
};

/** The paths a refusal names. */
export const pathsOf = ({ body }: Reply): readonly string[] =>
  (body as { error: { details: readonly { path: string }[] } }).error.details.map(({ path }) => path);

export const codeOf = ({ body }: Reply): string => (body as { error: { code: string } }).error.code;

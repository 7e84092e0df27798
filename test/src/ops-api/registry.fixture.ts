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

export const expectApplied = ({ status, body }: Reply): Applied => {
  expect(status, JSON.stringify(body)).to.equal(200);
  return body as Applied;
};

/** Stream and type of every registry event, in log order. */
export const readRegistryEvents = async (store: EventStore): Promise<string[]> => {
  const stop = new AbortController();
  const lines: string[] = [];
  for await (const item of store.subscribe({ after: 'start', prefixes: ['registry-'], signal: stop.signal })) {
    if (item.kind === 'caught-up') break;
    lines.push(`${item.event.stream} ${item.event.type}`);
  }
  return lines;
};

/** The field paths that an error response names. */
export const pathsOf = ({ body }: Reply): readonly string[] =>
  (body as { error: { details: readonly { path: string }[] } }).error.details.map(({ path }) => path);

export const codeOf = ({ body }: Reply): string => (body as { error: { code: string } }).error.code;

/**
 * Loaded into every process of a test run (NODE_OPTIONS): holds each answer of a server there against the documents, and writes
 * what is wrong and how often each operation was answered into the folder that POPSVC_ANSWERS names.
 */
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SentResponse } from '@popsvc/platform/http';
import type { answerCheck } from './answer-check.ts';
import type { ClosedReplies } from './closed-replies.ts';

const folder = process.env['POPSVC_ANSWERS'];

/** Larger ones are told of by their head alone. */
const mostBytes = 1024 * 1024;

/** What every process is asked at its start, often nothing else; held against the documents where there is more to look at. */
const polled = new Set(['/readyz', '/healthz']);

/** The test that runs, where it runs in this process; else the spec that started it. */
const running = (): string => String(Reflect.get(globalThis, 'popsvcTest') ?? process.env['POPSVC_SPEC'] ?? 'no test');

const watch = (into: string): void => {
  const counts = new Map<string, number>();
  const before: (readonly [SentResponse, string])[] = [];
  let check: ReturnType<typeof answerCheck> | undefined;
  let isLoading = false;

  const look = (answer: SentResponse, test: string) => {
    const wrong = check?.(answer);
    if (wrong !== undefined) appendFileSync(join(into, `wrong-${process.pid}.txt`), `${test}\n  ${wrong}\n`);
  };
  // Nothing is loaded before a server of this process has answered: most processes have none.
  const load = async () => {
    const made = await import('./answer-check.ts');
    check = made.answerCheck(JSON.parse(readFileSync(join(into, 'documents.json'), 'utf8')) as ClosedReplies);
    for (const [answer, test] of before.splice(0)) look(answer, test);
  };
  const count = ({ method, path, status }: SentResponse) => {
    const key = `${method} ${path} ${status}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    // A process that is killed has told at least that it answered.
    if (counts.get(key) === 1) write();
  };
  const write = () => writeFileSync(join(into, `counts-${process.pid}.json`), JSON.stringify([...counts]));

  subscribe('popsvc.http.answered', (message) => {
    const answer = message as SentResponse;
    if (answer.path === undefined) return;
    count(answer);
    const isLarge = answer.content !== undefined && Buffer.byteLength(answer.content) > mostBytes;
    const given = isLarge ? { ...answer, content: undefined } : answer;
    if (check) look(given, running());
    else before.push([given, running()]);
    if (isLoading || polled.has(answer.path)) return;
    isLoading = true;
    void load();
  });
  process.once('exit', () => counts.size > 0 && write());
};

if (folder !== undefined) watch(folder);

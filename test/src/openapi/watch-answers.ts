/**
 * Loaded into every process of a test run (NODE_OPTIONS). Checks each response of the process against the documents, and writes problems
 * and the number of responses per operation to the folder POPSVC_ANSWERS.
 */
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SentResponse } from '@popsvc/http-kit/server';
import type { answerCheck } from './answer-check.ts';
import type { ClosedReplies } from './closed-replies.ts';

const folder = process.env['POPSVC_ANSWERS'];

/** Only the headers of larger responses are checked. */
const mostBytes = 1024 * 1024;

/** Probes, which many processes only respond to. The check is loaded at the first response to another request. */
const polled = new Set(['/readyz', '/healthz']);

/** The running test if it runs in this process, else the spec that started the process. */
const running = (): string => String(Reflect.get(globalThis, 'popsvcTest') ?? process.env['POPSVC_SPEC'] ?? 'no test');

const watch = (into: string): void => {
  const counts = new Map<string, number>();
  const pending: (readonly [SentResponse, string])[] = [];
  let check: ReturnType<typeof answerCheck> | undefined;
  let isLoading = false;

  const checkResponse = (answer: SentResponse, test: string) => {
    const wrong = check?.(answer);
    if (wrong !== undefined) appendFileSync(join(into, `wrong-${process.pid}.txt`), `${test}\n  ${wrong}\n`);
  };
  // The check is loaded after the first response, because most processes have no server.
  const load = async () => {
    const made = await import('./answer-check.ts');
    check = made.answerCheck(JSON.parse(readFileSync(join(into, 'documents.json'), 'utf8')) as ClosedReplies);
    for (const [answer, test] of pending.splice(0)) checkResponse(answer, test);
  };
  const count = ({ method, path, status }: SentResponse) => {
    const key = `${method} ${path} ${status}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    // Written at the first response, so that a killed process has a record of it.
    if (counts.get(key) === 1) write();
  };
  const write = () => writeFileSync(join(into, `counts-${process.pid}.json`), JSON.stringify([...counts]));

  subscribe('popsvc.http.answered', (message) => {
    const answer = message as SentResponse;
    if (answer.path === undefined) return;
    count(answer);
    const isLarge = answer.content !== undefined && Buffer.byteLength(answer.content) > mostBytes;
    // Copied, because the memory of a page is used again after the response.
    const given = { ...answer, content: isLarge ? undefined : answer.content?.toString() };
    if (check) checkResponse(given, running());
    else pending.push([given, running()]);
    if (isLoading || polled.has(answer.path)) return;
    isLoading = true;
    void load();
  });
  process.once('exit', () => counts.size > 0 && write());
};

if (folder !== undefined) watch(folder);

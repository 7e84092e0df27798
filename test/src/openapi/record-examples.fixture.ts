import { readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { ResponseExamples } from '@popsvc/http-kit/openapi';
import { popsvcVersion } from '@popsvc/platform/runtime';
import { root } from '../architecture/tree.fixture.ts';

const exampleFiles: Readonly<Record<string, string>> = {
  'command-api': 'command-api/src/service/response-examples.json',
  'query-api': 'query-api/src/service/response-examples.json',
  ops: 'ops-api/src/server/response-examples.json',
};

const mostItems = 2;
const dayMs = 86_400_000;
const exampleDay = '2026-08-20';
const exampleMs = Date.parse(`${exampleDay}T15:00:00Z`);

/** Whether a time is one of this run. Other times are those of the demo data, which do not change. */
const isOfRun = (ms: number): boolean => Math.abs(ms - Date.now()) < 40 * dayMs;

const times = /(\d{4}-\d\d-\d\d)(?:([T ])\d\d:\d\d(?::\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?/g;
/** The times of a play and its detection differ by whole half seconds, and by less than this. */
const longestPlayMs = 60_000;

/** Replacements in all strings: addresses, names of this machine and credentials. */
const replacements: readonly (readonly [RegExp | string, string])[] = [
  [/(?:127\.0\.0\.1|localhost):\d+/g, 'popsvc.example'],
  [/\/tmp\/[^\s"',;)]+/g, '/var/lib/popsvc'],
  [new RegExp(String.raw`\b${hostname()}\b`, 'g'), 'popsvc-1'],
  [popsvcVersion, '1.0.0'],
  [/([a-z][a-z0-9]{1,31})_sk_[0-9A-Za-z]{36}/g, '$1_sk_example'],
  [/popsvc_cs_[\w-]{43}/g, 'popsvc_cs_example'],
  [/eyJ[\w-]{10,}\.[\w.-]+/g, 'example-access-token'],
  [/([?&](?:signature|token|X-Amz-Signature)=)[^&\s]+/g, '$1example'],
  [/\b[0-9a-f]{64}\b/g, 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  [/\bpopsvc_[0-9a-f]{24}\b/g, 'popsvc_0123456789abcdef01234567'],
  [/_sk_[0-9A-Za-z]{4}\b/g, '_sk_0000'],
  [/\bpopsvc-1-[0-9a-f]{12}\b/g, 'popsvc-1-0123456789ab'],
  [/([?&]expires=)\d+/g, `$1${exampleMs}`],
];

const uuids = /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi;
const secretKey = /secret|password|^token$|access_token|^(?:x|y|n|kid)$/i;
const cursorKey = /cursor|next_since|next_after|^etag$/i;
/** Numbers that differ between runs. */
const measuredKey = /(?:position|lag|_pid|^pid)$/i;

/** Replaces the ids, times, credentials, cursors and measurements of a run by fixed values, and shortens lists. */
class ExampleBuilder {
  readonly #ids = new Map<string, string>();
  #firstMs: number | undefined;

  of(value: unknown, key = ''): unknown {
    if (Array.isArray(value)) return value.slice(0, mostItems).map((one) => this.of(one, key));
    if (typeof value === 'object' && value !== null) return this.#object(value);
    if (typeof value === 'string') return this.text(value, key);
    return typeof value === 'number' ? this.#number(value, key) : value;
  }

  text(value: string, key = ''): string {
    let text = value;
    for (const [found, replacement] of replacements) text = text.replaceAll(found, replacement);
    if (secretKey.test(key) && text === value) return 'example';
    text = text
      .replaceAll(uuids, (id) => this.#id(id))
      .replaceAll(times, (time: string, day: string, separator?: string, fraction?: string, zone?: string) =>
        this.#time(time, { day, separator, fraction, zone }),
      );
    return cursorKey.test(key) && !/^\d{4}-/.test(text) ? 'example-cursor' : text;
  }

  /** Replaces a time of the run by a fixed one. Times of one play keep their distance, so that they agree with its duration. */
  #time(
    time: string,
    parts: { day: string; separator: string | undefined; fraction: string | undefined; zone: string | undefined },
  ): string {
    const { day, separator = '', fraction = '', zone = '' } = parts;
    if (!isOfRun(Date.parse(day))) return time;
    if (separator === '') return exampleDay;
    const ms = Date.parse(time);
    this.#firstMs ??= ms;
    const sinceMs = ms - this.#firstMs;
    const keptMs = sinceMs % 500 === 0 && Math.abs(sinceMs) < longestPlayMs ? sinceMs : 0;
    const text = new Date(exampleMs + keptMs).toISOString();
    return `${exampleDay}${separator}${text.slice(11, 19)}${text.slice(19, 23).padEnd(fraction.length, '0').slice(0, fraction.length)}${zone}`;
  }

  #id(id: string): string {
    const known = this.#ids.get(id);
    if (known !== undefined) return known;
    const made = `6f5f7f1f-2a10-4c1e-9a3e-${String(this.#ids.size + 1).padStart(12, '0')}`;
    this.#ids.set(id, made);
    return made;
  }

  #object(value: object): unknown {
    // A count of a list that is shortened is that of the shortened list.
    const lengths = Object.values(value).flatMap((one) => (Array.isArray(one) ? [one.length] : []));
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [
        this.text(key),
        key === 'count' && lengths.includes(one as number) ? Math.min(one as number, mostItems) : this.of(one, key),
      ]),
    );
  }

  #number(value: number, key: string): number {
    if (Number.isInteger(value) && isOfRun(value)) return exampleMs;
    if (Number.isInteger(value) && isOfRun(value * 1_000)) return exampleMs / 1_000;
    return measuredKey.test(key) && value > 1 ? 60 : value;
  }
}

/** Returns the first lines of a text. Measured values in metrics are replaced. */
const exampleText = (text: string): string =>
  new ExampleBuilder()
    .text(text)
    .split(/\r?\n/)
    .slice(0, 3)
    .map((line) => line.replace(/^(popsvc_\S+|process_\S+|nodejs_\S+) [\d.e+-]+$/, '$1 1'))
    .join('\n');

/** The document itself is too long for an example within it. */
const shortDocument = ({ openapi, info }: Readonly<Record<string, unknown>>): unknown => ({
  openapi,
  info: { title: (info as { readonly title: string }).title, version: '1.0.0' },
  paths: {},
});

const exampleBody = (operation: string, type: string, text: string): unknown => {
  if (type !== 'application/json') return exampleText(text);
  const body = JSON.parse(text) as Readonly<Record<string, unknown>>;
  return operation === 'getOpenApi' ? shortDocument(body) : new ExampleBuilder().of(body);
};

/**
 * Records responses as the examples of the OpenAPI documents: `POPSVC_RECORD_EXAMPLES=1 node test/run.mjs e2e/main-job`, then
 * `npm run reference`.
 */
export class ExampleRecorder {
  static readonly isEnabled = process.env['POPSVC_RECORD_EXAMPLES'] === '1';
  readonly #recorded = new Map<string, Map<string, Map<string, unknown>>>();

  /** Keeps the longest example of each operation, status and media type, because it has the most fields. */
  add(server: string, operation: string, response: Response, text: string): void {
    const [type = ''] = (response.headers.get('content-type') ?? '').split(';');
    if (!ExampleRecorder.isEnabled || text === '' || !/^text\/|json$/.test(type)) return;
    const operations = this.#recorded.get(server) ?? new Map<string, Map<string, unknown>>();
    this.#recorded.set(server, operations);
    const examples = operations.get(operation) ?? new Map<string, unknown>();
    operations.set(operation, examples);
    const key = `${response.status} ${type}`;
    const example = exampleBody(operation, type, text);
    const known = examples.get(key);
    if (known === undefined || JSON.stringify(known).length < JSON.stringify(example).length)
      examples.set(key, example);
  }

  /** Writes the files. An example that no request of this run received stays as it is. */
  write(): void {
    for (const [server, operations] of this.#recorded) {
      const file = join(root, exampleFiles[server] ?? '');
      const known = JSON.parse(readFileSync(file, 'utf8')) as ResponseExamples;
      const recorded = [...operations].map(([operation, examples]) => [
        operation,
        { ...known[operation], ...Object.fromEntries(examples) },
      ]);
      const all = { ...known, ...(Object.fromEntries(recorded) as ResponseExamples) };
      writeFileSync(file, `${JSON.stringify(all, undefined, 2)}\n`);
    }
  }
}

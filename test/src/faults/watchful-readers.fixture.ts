import { setTimeout as sleep } from 'node:timers/promises';
import type { createTestPartner } from '@popsvc/tools/rig';

type Partner = ReturnType<typeof createTestPartner>;

interface Page {
  readonly total: number;
  readonly next_after: string | null;
  readonly rows: readonly { readonly EVENT_ID: string }[];
}

/** The plays to read: all of them, and those that are paged and downloaded as a whole again and again. */
export interface Windows {
  readonly whole: string;
  readonly late: string;
}

export interface Watch {
  /** Descriptions of wrong responses. */
  readonly complaints: readonly string[];
  /** Number of reads by reader. */
  readonly reads: Readonly<Record<string, number>>;
  /** The newest play that was seen. */
  newest(): string;
  stop(): Promise<void>;
}

/** Plays of one prefix are numbered in the order of their time. */
const hasGap = ({ rows }: Page): boolean =>
  rows.some(({ EVENT_ID }, index) => {
    const [prefix, number] = EVENT_ID.split('-');
    const [after, next] = rows[index - 1]?.EVENT_ID.split('-') ?? [];
    return after === prefix && Number(next) !== Number(number) + 1;
  });

/** Readers that report a play which disappears or appears twice, and data that is older than before. */
export const startReaders = ({ read }: Partner, { whole, late }: Windows, pauseMs: number): Watch => {
  const complaints: string[] = [];
  const reads: Record<string, number> = {};
  let isOver = false;

  const ask = async (path: string): Promise<Response> => {
    const answer = await read(path);
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return answer;
  };
  const asOf: Record<string, string> = {};
  const notOlder = (name: string, { headers }: Response) => {
    const now = headers.get('x-data-as-of') ?? '';
    if (now < (asOf[name] ?? '')) complaints.push(`${name}: as of ${now} after ${asOf[name]}`);
    asOf[name] = now;
  };
  const readPage = async (answer: Response): Promise<Page> => ((await answer.json()) as { data: Page }).data;
  const pageOf = async (query: string): Promise<Page> => readPage(await ask(`/coffee?${query}`));

  const again = async (name: string, what: () => Promise<void>) => {
    while (!isOver) {
      try {
        await what();
        reads[name] = (reads[name] ?? 0) + 1;
      } catch (error) {
        complaints.push(`${name}: ${String(error)}`);
      }
      await sleep(pauseMs);
    }
  };

  const compare = (name: string, before: ReadonlySet<string>, now: readonly string[]): ReadonlySet<string> => {
    const seen = new Set(now);
    if (seen.size < now.length) complaints.push(`${name}: ${now.length - seen.size} rows came twice`);
    const lost = [...before].filter((id) => !seen.has(id));
    if (lost.length > 0) complaints.push(`${name}: ${lost.length} of ${before.size} plays are missing`);
    return seen;
  };

  let total = 0;
  const totals = async () => {
    const now = (await pageOf(`${late}&limit=1`)).total;
    if (now < total) complaints.push(`totals: ${now} after ${total}`);
    total = now;
  };

  /** Pages from the end over all plays. */
  let [all, newest] = [0, ''];
  const newestFirst = async () => {
    const answer = await ask(`/coffee?${whole}&sort=desc&limit=1000`);
    notOlder('newest', answer);
    const page = await readPage(answer);
    if (page.total < all) complaints.push(`newest: a total of ${page.total} after ${all}`);
    if (hasGap(page)) complaints.push('newest: a gap in a page');
    [all, newest] = [page.total, page.rows[0]?.EVENT_ID ?? newest];
  };

  let paged: ReadonlySet<string> = new Set();
  const pages = async () => {
    const ids: string[] = [];
    for (let after: string | null = ''; after !== null;) {
      const page: Page = await pageOf(`${late}&limit=1000${after && `&after=${encodeURIComponent(after)}`}`);
      ids.push(...page.rows.map((row) => row.EVENT_ID));
      after = page.next_after;
    }
    paged = compare('pages', paged, ids);
  };

  let downloaded: ReadonlySet<string> = new Set();
  const downloads = async () => {
    const lines = (await (await ask(`/coffee/download?${late}&format=ndjson`)).text()).split('\n').filter(Boolean);
    downloaded = compare(
      'downloads',
      downloaded,
      lines.map((line) => (JSON.parse(line) as { EVENT_ID: string }).EVENT_ID),
    );
  };

  const statuses = async () => {
    const answer = await ask('/devices/status');
    const { data } = (await answer.json()) as { data: { count: number } };
    if (data.count === 0) complaints.push('statuses: no device is known');
    notOlder('statuses', answer);
  };

  const watching = Object.entries({ totals, newest: newestFirst, pages, downloads, statuses }).map(([name, what]) =>
    again(name, what),
  );
  return {
    complaints,
    reads,
    newest: () => newest,
    async stop() {
      isOver = true;
      await Promise.all(watching);
    },
  };
};

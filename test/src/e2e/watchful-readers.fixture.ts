import { setTimeout as sleep } from 'node:timers/promises';
import type { partner } from '../support/partner.ts';

type Partner = ReturnType<typeof partner>;

interface Page {
  readonly total: number;
  readonly next_after: string | null;
  readonly rows: readonly { readonly EVENT_ID: string }[];
}

export interface Watch {
  /** What went wrong, in words; empty when nothing did. */
  readonly complaints: readonly string[];
  /** How often each reader read. */
  readonly reads: Readonly<Record<string, number>>;
  stop(): Promise<void>;
}

/** Readers who notice when something they have seen is not there any more, or is there twice, or is older than before. */
export const watchfulReaders = ({ read }: Partner, window: string, pauseMs: number): Watch => {
  const complaints: string[] = [];
  const reads: Record<string, number> = {};
  let isOver = false;

  const ask = async (path: string): Promise<Response> => {
    const answer = await read(path);
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return answer;
  };
  const pageOf = async (more: string): Promise<Page> =>
    ((await (await ask(`/coffee?${window}${more}`)).json()) as { data: Page }).data;

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
    if (lost.length > 0) complaints.push(`${name}: ${lost.length} of ${before.size} plays are not there any more`);
    return seen;
  };

  let total = 0;
  const totals = async () => {
    const now = (await pageOf('&limit=1')).total;
    if (now < total) complaints.push(`totals: ${now} after ${total}`);
    total = now;
  };

  let paged: ReadonlySet<string> = new Set();
  const pages = async () => {
    const ids: string[] = [];
    for (let after: string | null = ''; after !== null;) {
      const page: Page = await pageOf(`&limit=1000${after && `&after=${encodeURIComponent(after)}`}`);
      ids.push(...page.rows.map((row) => row.EVENT_ID));
      after = page.next_after;
    }
    paged = compare('pages', paged, ids);
  };

  let downloaded: ReadonlySet<string> = new Set();
  const downloads = async () => {
    const lines = (await (await ask(`/coffee/download?${window}&format=ndjson`)).text()).split('\n').filter(Boolean);
    downloaded = compare(
      'downloads',
      downloaded,
      lines.map((line) => (JSON.parse(line) as { EVENT_ID: string }).EVENT_ID),
    );
  };

  let asOf = '';
  const statuses = async () => {
    const answer = await ask('/devices/status');
    const { data } = (await answer.json()) as { data: { count: number } };
    if (data.count === 0) complaints.push('statuses: no device is known');
    const now = answer.headers.get('x-data-as-of') ?? '';
    if (now < asOf) complaints.push(`statuses: as of ${now} after ${asOf}`);
    asOf = now;
  };

  const watching = Object.entries({ totals, pages, downloads, statuses }).map(([name, what]) => again(name, what));
  return {
    complaints,
    reads,
    async stop() {
      isOver = true;
      await Promise.all(watching);
    },
  };
};

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EventLogScrub, eventLogScrubFile } from '@popsvc/contracts/diagnostics';
import { writeJsonFile } from '@popsvc/platform/runtime';
import type { EventLog } from './event-log.ts';
import type { Damage, Note } from './damage.ts';
import { readManifest } from './manifest.ts';
import { SegmentChecker } from './segment-checker.ts';
import { findFrameDamage } from './scan.ts';
import type { Segment } from './segments.ts';

export interface ScrubOptions {
  /** Pause before each search for segments whose check is due. Default: 60,000. */
  readonly pauseMs?: number;
  /** Time after which a segment is checked again. Default: one day. */
  readonly everyMs?: number;
  /** Default: 4 MiB a second. */
  readonly bytesPerSecond?: number;
}

const readPrevious = (path: string): EventLogScrub['segments'] => {
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as EventLogScrub).segments;
  } catch {
    return [];
  }
};

export class Scrub {
  readonly #log: EventLog;
  readonly #dir: string;
  readonly #note: Note;
  readonly #options: Required<ScrubOptions>;
  readonly #checker = new SegmentChecker();
  readonly #checked: Map<number, EventLogScrub['segments'][number]>;
  /** Bases of segments to check before they are due, because their check failed, or a repair may have replaced the damaged file. */
  readonly #checkAgain: Set<number>;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(log: EventLog, dir: string, note: Note, options: ScrubOptions = {}) {
    this.#log = log;
    this.#dir = dir;
    this.#note = note;
    this.#options = { pauseMs: 60_000, everyMs: 86_400_000, bytesPerSecond: 4 * 1024 * 1024, ...options };
    this.#checked = new Map(readPrevious(this.#path).map((segment) => [segment.base, segment]));
    this.#checkAgain = new Set(
      [...this.#checked.values()].flatMap(({ base, damages }) => (damages.length > 0 ? base : [])),
    );
    this.#schedule();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#checker.close();
    await this.#running;
  }

  get #path(): string {
    return join(this.#dir, eventLogScrubFile);
  }

  #schedule(): void {
    this.#timer = setTimeout(() => {
      this.#running = this.#checkDue()
        .catch((error: unknown) => {
          if (!this.#isClosed) this.#note('the check of the event log failed', { error: (error as Error).message });
        })
        .then(() => {
          if (!this.#isClosed) this.#schedule();
        });
    }, this.#options.pauseMs).unref();
  }

  async #checkDue(): Promise<void> {
    const again = this.#log.segments.filter(({ base }) => this.#checkAgain.has(base));
    this.#checkAgain.clear();
    for (const segment of again) await this.#check(segment);
    for (let due = this.#findDue(); due && !this.#isClosed; due = this.#findDue()) await this.#check(due);
  }

  #findDue(): Segment | undefined {
    const checkedMs = (segment: Segment): number => this.#checked.get(segment.base)?.checkedMs ?? 0;
    const [oldest] = this.#log.segments.toSorted((a, b) => checkedMs(a) - checkedMs(b));
    return oldest && checkedMs(oldest) + this.#options.everyMs <= Date.now() ? oldest : undefined;
  }

  async #check(segment: Segment): Promise<void> {
    const { base, path } = segment;
    let bytes = 0;
    let damages: Damage[];
    try {
      ({ bytes, damages } = await this.#findDamage(segment));
    } catch (error) {
      if (this.#isClosed) return;
      this.#checkAgain.add(base);
      damages = [{ file: path, what: `it cannot be checked: ${(error as Error).message}` }];
    }
    for (const damage of damages) this.#note('the event log is damaged', { ...damage, run: 'popsvc log verify' });
    this.#checked.set(base, { base, bytes, checkedMs: Date.now(), damages });
    const segments = this.#log.segments.flatMap((each) => this.#checked.get(each.base) ?? []);
    await writeJsonFile(this.#path, { segments, unchecked: this.#log.segments.length - segments.length });
  }

  async #findDamage({ path, base, end }: Segment): Promise<{ readonly bytes: number; readonly damages: Damage[] }> {
    const sealed = readManifest(this.#dir).entries.find((entry) => entry.base === base);
    const { bytesPerSecond } = this.#options;
    const check = await this.#checker.check(path, base, { upTo: sealed ? undefined : end, bytesPerSecond });
    const damages = findFrameDamage(path, base, check, sealed);
    if (!check.isHeaderValid) damages.push({ file: path, position: base, what: 'its header is damaged' });
    const storedEnd = sealed?.end ?? end;
    if (check.end < storedEnd)
      damages.push({
        file: path,
        position: check.end,
        what: `the file ends there, but records were stored up to ${storedEnd}`,
      });
    return { bytes: check.end - base, damages };
  }
}

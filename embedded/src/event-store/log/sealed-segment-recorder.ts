import { LogDamagedError, type Note } from './damage.ts';
import { type ManifestContent, ManifestWriter } from './manifest.ts';
import { checkSegment, type SegmentCheck } from './scan.ts';
import type { Segment } from './segments.ts';

interface RecorderOptions {
  readonly dir: string;
  readonly manifest: ManifestContent;
  readonly note: Note;
  /** Default: checks the segment in this thread. */
  readonly check?: ((path: string, base: number) => Promise<SegmentCheck>) | undefined;
}

export class SealedSegmentRecorder {
  readonly #dir: string;
  readonly #manifest: ManifestWriter;
  readonly #note: Note;
  readonly #check: (path: string, base: number) => Promise<SegmentCheck>;
  #queue: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor({ dir, manifest, note, check }: RecorderOptions) {
    this.#dir = dir;
    this.#manifest = new ManifestWriter(dir, manifest);
    this.#note = note;
    this.#check = check ?? ((path, base) => Promise.resolve(checkSegment(path, base)));
  }

  /** `next`: base of the next segment. Throws a `LogDamagedError` if the segment is damaged. */
  async record({ path, base }: Pick<Segment, 'path' | 'base'>, next: number): Promise<void> {
    const { damaged, isHeaderValid, end, events, sha256 } = await this.#check(path, base);
    const [first] = damaged;
    if (first || !isHeaderValid)
      throw new LogDamagedError(this.#dir, [
        { file: path, position: first?.from ?? base, what: 'no whole record there' },
      ]);
    await this.#manifest.append({ base, end, next, events, sha256 });
  }

  /** If the log closes before the segment is in the manifest, the next open adds it. */
  recordLater(segment: Segment, next: number): void {
    this.#queue = this.#queue
      .then(() => (this.#isStopped ? undefined : this.record(segment, next)))
      .catch((error: unknown) => {
        if (!this.#isStopped)
          this.#note('sealed segment not added to the manifest', {
            file: segment.path,
            error: (error as Error).message,
          });
      });
  }

  stop(): void {
    this.#isStopped = true;
  }

  async settled(): Promise<void> {
    await this.#queue;
  }
}

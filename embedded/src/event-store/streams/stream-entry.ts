import { type StreamLimits, metastreamLimits, noLimits } from './stream-limits.ts';

/** The state of a stream that appends already under way will leave behind. */
export interface StreamAhead {
  last: number;
  tombstoned: boolean;
  limits: StreamLimits;
  /** Position of the newest record under way. */
  position: number;
  /** Appends that touch the stream and are not durable yet. */
  pending: number;
}

/** What the node keeps in memory of a stream. Everything outside `ahead` is durable, and all that reads see. */
export class StreamEntry {
  readonly name: string;
  /** Number in the frames; -1 while only the stream's metadata exists. */
  no = -1;
  /** Last revision; -1 while there is none. */
  last = -1;
  /** Position of the tombstone; 0 for none. */
  tombstone = 0;
  limits: StreamLimits;
  ahead: StreamAhead | undefined = undefined;
  /** The segments that hold the stream: base, first revision, base, first revision … */
  extents: number[] = [];

  constructor(name: string) {
    this.name = name;
    this.limits = this.isMetastream ? metastreamLimits : noLimits;
  }

  get isMetastream(): boolean {
    return this.name.startsWith('$$');
  }

  /** What the next append has to be judged by. */
  get judged(): { readonly last: number; readonly tombstoned: boolean; readonly limits: StreamLimits } {
    return this.ahead ?? { last: this.last, tombstoned: this.tombstone > 0, limits: this.limits };
  }

  /** Opens, or joins, the state that appends under way build on. */
  goAhead(): StreamAhead {
    this.ahead ??= { ...this.judged, position: 0, pending: 0 };
    this.ahead.pending += 1;
    return this.ahead;
  }

  arrived(): void {
    if (this.ahead && (this.ahead.pending -= 1) === 0) this.ahead = undefined;
  }
}

export interface EventLogOptions {
  readonly dir: string;
  /** A file that has grown past this is full; the append that crosses it stays whole in it. */
  readonly segmentBytes?: number;
  /** Called when a write or sync fails. Nothing may be acknowledged afterwards, so the process has to end. */
  readonly fail: (error: unknown) => void;
}

export const defaultSegmentBytes = 256 * 1024 * 1024;

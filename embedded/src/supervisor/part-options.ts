import type { RestartPolicy } from './back-off.ts';

/** The one JSON line a part may print on standard output when it serves: `{"ready":true,"port":8123}`. */
export type ReadyLine = Readonly<Record<string, unknown>> & { readonly ready: true };

export interface ProcessLine {
  readonly name: string;
  readonly from: 'stdout' | 'stderr' | 'supervisor';
  readonly text: string;
}

export interface ProcessOptions {
  readonly name: string;
  /** A compiled JavaScript file for this Node, or a command with its arguments. */
  readonly run: { readonly entry: string } | { readonly command: readonly string[] };
  /** Laid over the parent's environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Whose rights the process has; needed only when the parent is root. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** `json-line`: it prints a ReadyLine. Else: asked again and again until true; a throw means not yet. */
  readonly ready: 'json-line' | (() => Promise<boolean>);
  /** Default 60,000. */
  readonly readyTimeoutMs?: number;
  /** `false`: a death is final. Default: defaultBackOff. */
  readonly restart?: RestartPolicy | false;
  /** Default SIGTERM. */
  readonly stopSignal?: NodeJS.Signals;
  /** SIGKILL follows after this long. Default 8,000. */
  readonly stopTimeoutMs?: number;
  /** Every line the part writes, and what the supervisor has to say about it. */
  readonly onLine?: (line: ProcessLine) => void;
}

import { channel } from 'node:diagnostics_channel';
import type { ResponseHeaders } from './answer.ts';

/** An answer that is through, as it was written before it was compressed. */
export interface SentResponse {
  readonly method: string;
  /** Declared path of the route; undefined where no route answered. */
  readonly path: string | undefined;
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** Undefined where it was never whole in memory, or was cut off. */
  readonly content: string | Buffer | undefined;
}

/** Where answers can be watched; nobody does in production, and then it costs nothing. */
export const sentResponses = channel('popsvc.http.answered');

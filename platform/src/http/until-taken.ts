import type { ServerResponse } from 'node:http';
import type { ServerLimits } from './limits.ts';

/**
 * Breaks the connection of a reader who does not take an answer that is held for him: some time for any answer, and more for a
 * long one. However many stop reading, or read a byte now and then, they do not keep others out for good.
 */
export const untilTaken = (
  response: ServerResponse,
  { responseTimeoutMs, responseBytesPerMs }: Pick<ServerLimits, 'responseTimeoutMs' | 'responseBytesPerMs'>,
): void => {
  const left = response.writableLength;
  if (left === 0 || response.destroyed) return;
  const timer = setTimeout(() => response.destroy(), responseTimeoutMs + left / responseBytesPerMs).unref();
  response.once('close', () => clearTimeout(timer));
};

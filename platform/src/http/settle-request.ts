import type { RequestContext } from './exchange.ts';

const patience = { bytes: 16 * 1024 * 1024, ms: 2_000 };

/**
 * An answer that comes before the body was read lets the rest run off, so that the sender hears the answer instead of a
 * broken connection; one who does not stop is cut off.
 */
export const settleRequest = ({ request }: RequestContext): void => {
  if (request.complete || request.destroyed) return;
  let left = patience.bytes;
  const cutOff = () => request.destroy();
  const timer = setTimeout(cutOff, patience.ms).unref();
  request
    .on('data', (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) cutOff();
    })
    .once('close', () => clearTimeout(timer))
    .on('error', () => undefined)
    .resume();
};

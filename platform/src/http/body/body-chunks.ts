import { ApiError } from '@popsvc/contracts/errors';
import { withDeadline, DeadlineExceeded } from '../../runtime/index.ts';
import type { RequestContext } from '../exchange.ts';
import { BodyTimeout } from './body-timeout.ts';
import { invite } from './invite.ts';

/** The body as it comes, as fast as it is taken; given up when nothing comes for so long. */
export async function* bodyChunks(exchange: RequestContext, idleMs: number): AsyncGenerator<Buffer, void, void> {
  invite(exchange);
  const pieces = exchange.request.iterator({ destroyOnReturn: false });
  let waiting = false;
  try {
    for (;;) {
      waiting = true;
      const piece = await withDeadline(pieces.next(), idleMs);
      waiting = false;
      if (piece.done === true) return;
      yield piece.value as Buffer;
    }
  } catch (cause) {
    if (cause instanceof DeadlineExceeded) throw new BodyTimeout('The body stopped coming.', { cause });
    throw new ApiError('INVALID_REQUEST', 'The body ended early.', { cause });
  } finally {
    // The rest is left to whoever answers; an iterator that waits would not hear of it before something comes.
    if (!waiting) await pieces.return?.();
  }
}

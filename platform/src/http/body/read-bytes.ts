import { ApiError } from '@popsvc/contracts/errors';
import type { RequestContext } from '../exchange.ts';
import { BodyTimeout } from './body-timeout.ts';
import type { ByteBudget } from './byte-budget.ts';
import { invite } from './invite.ts';

/** What reading needs to know: who holds the bytes, so that they can be given back, and how many are allowed. */
export interface Holder {
  heldBytes: number;
}

export const tooLarge = (maxBytes: number): ApiError =>
  new ApiError('PAYLOAD_TOO_LARGE', `The body must be at most ${maxBytes} bytes.`);

/** Counts bytes in the server's budget, or sheds the request. */
export const hold = (budget: ByteBudget, holder: Holder, bytes: number): void => {
  if (!budget.take(bytes)) throw new ApiError('UNAVAILABLE', 'The service is busy; try again.');
  holder.heldBytes += bytes;
};

export interface Reading {
  readonly maxBytes: number;
  readonly withinMs: number;
  readonly budget: ByteBudget;
}

/** The body as sent, at most `maxBytes`; refused at once when its declared length is more. */
export const readBytes = (exchange: RequestContext, { maxBytes, withinMs, budget }: Reading): Promise<Buffer> => {
  const { request } = exchange;
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(tooLarge(maxBytes));
  invite(exchange);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const settle = () => {
      clearTimeout(timer);
      request.off('data', take).off('end', end).off('error', cut).off('close', cut);
    };
    const refuse = (error: unknown) => {
      settle();
      request.on('error', () => undefined);
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    const timer = setTimeout(() => refuse(new BodyTimeout('The request took too long to arrive.')), withinMs);
    const take = (chunk: Buffer) => {
      length += chunk.length;
      try {
        if (length > maxBytes) throw tooLarge(maxBytes);
        hold(budget, exchange, chunk.length);
      } catch (error) {
        refuse(error);
        return;
      }
      chunks.push(chunk);
    };
    const end = () => {
      settle();
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length));
    };
    const cut = () => refuse(new ApiError('INVALID_REQUEST', 'The body ended early.'));
    request.on('data', take).on('end', end).on('error', cut).on('close', cut);
  });
};

import type { RequestContext } from '../exchange.ts';

const waits = /(?:^|\W)100-continue(?:$|\W)/i;

/** Tells a sender who waits for leave to send his body that it is read: who is refused has not sent it then. */
export const invite = ({ request, response }: Pick<RequestContext, 'request' | 'response'>): void => {
  if (waits.test(request.headers.expect ?? '') && request.httpVersion !== '1.0') response.writeContinue();
};

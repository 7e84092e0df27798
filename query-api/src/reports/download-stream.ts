import type { Readable } from 'node:stream';
import { type AcquireSlot, callerKey, type RouteRequest } from '@popsvc/http-kit/server';

/** The download occupies one of the caller's slots until the stream closes. */
export const openDownload = async (
  request: RouteRequest,
  acquireSlot: AcquireSlot,
  fields: Readonly<Record<string, unknown>>,
  open: () => Promise<Readable>,
): Promise<Readable> => {
  const caller = callerKey(request.principal);
  const releaseSlot = acquireSlot(caller);
  request.log.info({ caller, ...fields }, 'download started');
  try {
    return (await open()).once('close', releaseSlot);
  } catch (error) {
    releaseSlot();
    throw error;
  }
};

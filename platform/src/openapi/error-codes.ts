import type { ErrorCode } from '@popsvc/contracts/errors';
import type { Route } from '../http/route.ts';

/** Every code a route may refuse with: what it says itself, and what follows from how it is asked. */
export const errorCodesOf = ({ access, method, body, schemas, errorCodes = [] }: Route): readonly ErrorCode[] => {
  const codes: ErrorCode[] = [...errorCodes, 'UNAVAILABLE', 'INTERNAL'];
  if (schemas?.query) codes.push('INVALID_PARAM');
  if (access !== 'public') codes.push('UNAUTHORIZED');
  // A session is good for changes from our own pages alone.
  if (access === 'operator' && method !== 'get') codes.push('FORBIDDEN_ORIGIN');
  if (access === 'ingest' || access === 'reporting') codes.push('RATE_LIMITED');
  if (body === 'json' || body === 'form') codes.push('INVALID_REQUEST', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  return [...new Set(codes)].sort();
};

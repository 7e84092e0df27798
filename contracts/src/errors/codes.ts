/** Every way the house says no, with the words used when none better are given. The code is public; the words may improve. */
export const errorMessages = {
  INVALID_PARAM: 'A query or path parameter is not valid.',
  INVALID_EVENT: 'The request holds events that are not valid; nothing was stored.',
  INVALID_REQUEST: 'The request is not valid.',
  UNAUTHORIZED: 'A valid credential is needed.',
  FORBIDDEN_NETWORKS: 'The credential gives no access to this.',
  FORBIDDEN_ORIGIN: 'With a session, only pages of this server may change something.',
  NOT_FOUND: 'There is nothing here.',
  METHOD_NOT_ALLOWED: 'This method is not allowed here.',
  CONFLICT: 'The request contradicts what is already stored.',
  PAYLOAD_TOO_LARGE: 'The request body is too large.',
  UNSUPPORTED_MEDIA_TYPE: 'The content type or encoding of the body is not supported.',
  RATE_LIMITED: 'Too many requests.',
  UNAVAILABLE: 'The service cannot answer now; try again.',
  INTERNAL: 'Something went wrong on our side.',
} as const;

export type ErrorCode = keyof typeof errorMessages;

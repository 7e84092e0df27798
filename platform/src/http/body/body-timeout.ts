import { ApiError } from '@popsvc/contracts/errors';

/** The sender let too much time pass; answered with 408, and the connection is closed. */
export class BodyTimeout extends ApiError {
  constructor(message: string, options: ErrorOptions = {}) {
    super('INVALID_REQUEST', message, { ...options, headers: { Connection: 'close' } });
  }
}

import { createSecretSealer } from '@popsvc/platform/postgres';

/** Value of POPSVC_ENCRYPTION_KEY for the services of tests. */
export const encryptionKey = 'encryption-key-of-the-services-in-tests';

export const secretSealer = createSecretSealer(encryptionKey);

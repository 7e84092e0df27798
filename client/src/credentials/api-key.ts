import type { Credential } from './credential.ts';

const visible = /^[\x21-\x7e]+$/;

/** There is no other key to be had when this one is refused. Throws on what is no key: fetch would tell it with its error. */
export const apiKeyCredential = (apiKey: string): Credential => {
  const key = apiKey.trim();
  if (!visible.test(key)) throw new TypeError('createClient was given an apiKey with characters that no key has');
  return {
    headers: () => Promise.resolve({ 'x-api-key': key }),
    refused: () => false,
  };
};

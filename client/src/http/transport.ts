import type { Credential } from '../credentials/credential.ts';
import { ask, type Asked, type AskParts } from './ask.ts';
import { insist, type Patience } from './insist.ts';
import { ServiceError } from './service-error.ts';

export interface TransportParts extends AskParts, Patience {
  /** None: what is asked carries its own proof, such as a signed address. */
  readonly credential?: Credential;
}

/** Sends what may be told twice until it is answered, as whoever the credential proves. */
export type Transport = (asked: Asked) => Promise<Response>;

export const transport =
  ({ credential, ...parts }: TransportParts): Transport =>
  (asked) =>
    insist(() => (credential ? askProven(asked, credential, parts) : ask(asked, parts)), parts, asked.signal);

/** A credential that is refused is replaced once: it may have been revoked or rotated before its time. */
const askProven = async (asked: Asked, credential: Credential, parts: AskParts): Promise<Response> => {
  const proof = await credential.headers(asked.signal);
  try {
    return await ask(proven(asked, proof), parts);
  } catch (error) {
    if (!isOfProof(error) || !credential.refused(proof)) throw error;
    return ask(proven(asked, await credential.headers(asked.signal)), parts);
  }
};

/** A network or site that is not the caller's is a 401, too, and named in its details: a new token would not help. */
const isOfProof = (error: unknown): boolean =>
  error instanceof ServiceError && error.status === 401 && error.details.length === 0;

const proven = (asked: Asked, proof: Readonly<Record<string, string>>): Asked => {
  const headers = new Headers(asked.headers);
  for (const [name, value] of Object.entries(proof)) headers.set(name, value);
  return { ...asked, headers };
};

import type { Access } from './access.ts';
import type { Weather } from './weather.ts';
import type { SoakNetwork } from './world.ts';

/** Turned away where that may be: a part is down, or just came back. */
export class Away extends Error {}

const timeoutMs = 60_000;

export interface Answered {
  readonly text: string;
  readonly headers: Headers;
}

/** As the vendor of the network by its key, or as the client of both networks by a token. */
export type AskReports = (network: SoakNetwork, path: string, as: 'key' | 'client') => Promise<Answered>;

/** Is told of each answer how old what it tells is by its own word, ms. */
export type OnAge = (ageMs: number) => void;

/** Reads to the end. Throws Away where nobody may complain, else what is wrong. */
export const reportsAsker = (access: Access, weather: Weather, onAge: OnAge): AskReports => {
  let token = { text: '', endsMs: 0 };

  const answered = async (url: string, init: RequestInit): Promise<Answered> => {
    const askedMs = Date.now();
    const excused = (why: string): Error =>
      weather.wasRoughSince(askedMs) ? new Away(why) : new Error(`${why} in calm weather`);
    let status: number;
    let answer: Answered;
    try {
      const response = await fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs) });
      status = response.status;
      answer = { text: await response.text(), headers: response.headers };
    } catch (error) {
      const { message, cause } = error as Error;
      throw excused(`${message} ${cause instanceof Error ? cause.message : ''} after ${Date.now() - askedMs} ms`);
    }
    const asOf = answer.headers.get('x-data-as-of');
    if (asOf !== null) onAge(askedMs - Date.parse(asOf));
    if (status === 200) return answer;
    const told = `answered ${status}: ${answer.text.slice(0, 200)}`;
    throw [429, 503].includes(status) ? excused(told) : new Error(told);
  };
  const tokenNow = async (): Promise<string> => {
    if (token.endsMs - Date.now() > 30_000) return token.text;
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: access.client.id,
      client_secret: access.client.secret,
    });
    const { text } = await answered(access.service().credentials.token_url, { method: 'POST', body });
    const told = JSON.parse(text) as { access_token: string; expires_in: number };
    token = { text: told.access_token, endsMs: Date.now() + told.expires_in * 1_000 };
    return token.text;
  };

  return async (network, path, as) => {
    const headers: Record<string, string> =
      as === 'key'
        ? { 'x-api-key': access.keyOf(network) }
        : { authorization: `Bearer ${await tokenNow()}`, 'x-network-name': network.name };
    return answered(`${access.service().credentials.query_base_url}/api/v1${path}`, { headers });
  };
};

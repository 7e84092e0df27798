import createFetchClient from 'openapi-fetch';
import type { paths } from '../generated/ops.ts';
import { session } from '../state/session.ts';
import { Away, refusedOf } from './refused.ts';

const asked = async (request: Request): Promise<Response> => {
  const answer = await fetch(request).catch((error: unknown) => {
    throw request.signal.aborted ? error : new Away(error);
  });
  if (answer.ok) return answer;
  // The page stays where it is and asks who is there; whoever says so goes on at the same place.
  if (answer.status === 401) session.value = 'out';
  throw await refusedOf(answer);
};

/** Where the page lies; the server may stand behind a path. */
export const base = new URL('.', document.baseURI).href.replace(/\/$/, '');

/** The operations server, typed by what it says of itself. What it refuses is thrown. */
export const ops = createFetchClient<paths, 'application/json'>({ baseUrl: base, fetch: asked });

/** What an answer holds. */
export const dataOf = async <Data>(answer: Promise<{ data?: Data }>): Promise<NonNullable<Data>> => {
  const { data } = await answer;
  if (data === undefined || data === null) throw new Error('The service answered without content.');
  return data;
};

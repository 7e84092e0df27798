import createFetchClient, { type Client } from 'openapi-fetch';
import type { Transport } from './transport.ts';

/** Requests by path and parameters, typed by what a server says of itself. */
export type Api<Paths extends object> = Client<Paths, 'application/json'>;

/** What the server refuses is thrown by the transport. `streamed`: an answer is there as soon as it begins. */
export const apiBy = <Paths extends object>(baseUrl: string, send: Transport, { streamed = false } = {}): Api<Paths> =>
  createFetchClient<Paths, 'application/json'>({
    baseUrl,
    async fetch(request) {
      const { url, method, headers, signal } = request;
      const content = request.body ? await request.arrayBuffer() : undefined;
      return send({ url, method, headers, signal, streamed, ...(content && { body: () => content }) });
    },
  });

/** What an answer holds. */
export const dataOf = <Data>({ data }: { data?: Data | undefined }): NonNullable<Data> => {
  if (data === undefined || data === null) throw new Error('The service answered without content.');
  return data;
};

import createFetchClient from 'openapi-fetch';
import type { Client } from 'openapi-fetch';
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

type Present<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** Fields that were given; those that are undefined are left out. */
export const present = <Fields extends object>(fields: Fields): Present<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<Fields>;

/**
 * Refuses what a wish cannot hold. JavaScript lets misspelt fields pass, and a filter that nobody reads widens a report; so does a
 * list of none, which would be sent as no filter.
 */
export const refuseOthers = <Wish extends object>(wish: Wish, known: Readonly<Record<keyof Wish, true>>): void => {
  for (const [name, value] of Object.entries(wish)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(known, name))
      throw new TypeError(`there is no ${name} to be asked for, only ${Object.keys(known).join(', ')}`);
    if (Array.isArray(value) && value.length === 0)
      throw new TypeError(`${name} names none; without it, everything is asked for`);
  }
};

import createFetchClient from 'openapi-fetch';
import type { Client } from 'openapi-fetch';
import type { Transport } from './transport.ts';

/** An HTTP client with types from a server's OpenAPI document. */
export type Api<Paths extends object> = Client<Paths, 'application/json'>;

/**
 * Creates an API client that sends its requests with the given transport. With `streamed`, the transport does not wait for the body of a
 * successful response.
 */
export const createApi = <Paths extends object>(
  baseUrl: string,
  send: Transport,
  { streamed = false } = {},
): Api<Paths> =>
  createFetchClient<Paths, 'application/json'>({
    baseUrl,
    async fetch(request) {
      const { url, method, headers, signal } = request;
      const content = request.body ? await request.arrayBuffer() : undefined;
      return send({ url, method, headers, signal, streamed, ...(content && { body: () => content }) });
    },
  });

/** Returns the body of a response. Throws an Error if the body is empty. */
export const dataOf = <Data>({
  data,
  response,
}: {
  data?: Data | undefined;
  response: Response;
}): NonNullable<Data> => {
  if (data === undefined || data === null)
    throw new Error(`The service sent an empty response (status ${response.status}).`);
  return data;
};

type WithoutUndefined<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

export const omitUndefined = <Fields extends object>(fields: Fields): WithoutUndefined<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as WithoutUndefined<Fields>;

/**
 * Throws a TypeError for unknown options and empty lists. Without this check, a filter misspelled in JavaScript would be ignored,
 * and an empty list would be sent as no filter. In both cases, the caller would get more rows than intended.
 */
export const checkOptions = <Options extends object>(
  options: Options,
  known: Readonly<Record<keyof Options, true>>,
): void => {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(known, name))
      throw new TypeError(`unknown option ${name}; the options are ${Object.keys(known).join(', ')}`);
    if (Array.isArray(value) && value.length === 0)
      throw new TypeError(`${name} is empty; omit it to request everything`);
  }
};

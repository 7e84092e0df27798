import type { RequestExample, Route } from '@popsvc/http-kit/server';

const withParams = (path: string, params: RequestExample['params'] = {}): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])));

const withQuery = (query: RequestExample['query'] = {}): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, String(one)] as [string, string]),
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
};

const bodyOf = ({ body }: Route, example: RequestExample): { body?: string; headers?: Record<string, string> } => {
  if (body === 'form') {
    const form = new URLSearchParams(example.body as Record<string, string>).toString();
    return { body: form, headers: { 'content-type': 'application/x-www-form-urlencoded' } };
  }
  if (body === 'stream') return { body: String(example.body) };
  if (body === undefined || example.body === undefined) return {};
  return { body: JSON.stringify(example.body), headers: { 'content-type': 'application/json' } };
};

/** Sends the request of an example, using only what the document contains. */
export const sendExample = (
  baseUrl: string,
  route: Route,
  example: RequestExample,
  credential: Record<string, string>,
): Promise<Response> => {
  const { body, headers } = bodyOf(route, example);
  return fetch(baseUrl + withParams(route.path, example.params) + withQuery(example.query), {
    method: route.method.toUpperCase(),
    headers: { ...headers, ...credential, ...example.headers },
    ...(body !== undefined && { body }),
  });
};

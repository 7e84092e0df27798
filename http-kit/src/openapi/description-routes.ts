import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { z } from 'zod';
import { cacheCompressed, rawResponse } from '../endpoints/response.ts';
import type { Route } from '../endpoints/route.ts';
import { buildOpenApiDocument } from './document.ts';
import type { ServiceDescription } from './operation.ts';

/** RapiDoc would fill in example values as filters that the reader did not choose, and would select the response 200 where 202 is usual. */
const docsScript = `const page = document.querySelector('rapi-doc');
const dark = matchMedia('(prefers-color-scheme: dark)');
const narrow = matchMedia('(max-width: 900px)');
const settle = () => {
  page.setAttribute('theme', dark.matches ? 'dark' : 'light');
  page.setAttribute('render-style', narrow.matches ? 'view' : 'read');
};
settle();
dark.addEventListener('change', settle);
narrow.addEventListener('change', settle);
page.addEventListener('before-render', ({ detail: { spec } }) => {
  const operations = Object.values(spec.paths).flatMap((path) => Object.values(path));
  for (const parameter of operations.flatMap(({ parameters = [] }) => parameters)) parameter['x-fill-example'] = 'no';
});
page.addEventListener('spec-loaded', () => {
  for (const response of page.shadowRoot.querySelectorAll('api-response'))
    if (response.responses?.['202']) response.selectedStatus = '202';
});
`;

/** RapiDoc adds inline styles, so the policy allows them. They are safe because the page contains no content from callers. */
const docsPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** All URLs are relative, so the server can run behind a path prefix. */
const docsPage = (title: string, scripts: readonly string[]): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${escaped(title)}</title>
    <style>html, body { margin: 0; height: 100%; } rapi-doc { width: 100%; height: 100%; }</style>
${scripts.map((address) => `    <script type="module" src="${address}"></script>`).join('\n')}
  </head>
  <body>
    <rapi-doc
      spec-url="openapi.json"
      show-header="false"
      load-fonts="false"
      regular-font="system-ui, sans-serif"
      mono-font="ui-monospace, monospace"
      allow-server-selection="false"
      allow-spec-url-load="false"
      allow-spec-file-load="false"
      schema-style="table"
      show-method-in-nav-bar="as-colored-text"
      use-path-in-nav-bar="true"
      persist-auth="false"
    ></rapi-doc>
    <noscript>This page needs JavaScript; the description itself is at <a href="openapi.json">openapi.json</a>.</noscript>
  </body>
</html>
`;

interface Asset {
  readonly path: string;
  readonly content: Buffer;
}

const assetOf = (name: string, content: Buffer): Asset => {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
  return { path: `/docs/${name}-${hash}.js`, content };
};

let read: readonly Asset[] | undefined;

const assets = (): readonly Asset[] =>
  (read ??= [
    assetOf('start', Buffer.from(docsScript)),
    assetOf('rapidoc', readFileSync(createRequire(import.meta.url).resolve('rapidoc/dist/rapidoc-min.js'))),
  ]);

const pageRoute = (title: string): Route => ({
  method: 'get',
  path: '/docs',
  summary: 'This description, as a page.',
  operationId: 'getDocs',
  access: 'public',
  examples: [{ name: 'ask' }],
  schemas: { otherResponses: { 'text/html': 'A page that shows this description.' } },
  handle: () => {
    const scripts = assets().map(({ path }) => path.slice(1));
    return rawResponse(200, 'text/html; charset=utf-8', docsPage(title, scripts), {
      'Content-Security-Policy': docsPolicy,
    });
  },
});

const assetRoute = ({ path, content }: Asset): Route => ({
  method: 'get',
  path,
  summary: 'A script of the page at /docs.',
  access: 'public',
  isInternal: true,
  handle: () =>
    cacheCompressed(
      rawResponse(200, 'text/javascript; charset=utf-8', content, {
        'Cache-Control': 'public, max-age=31536000, immutable',
      }),
    ),
});

const docsRoutes = (title: string): readonly Route[] => [pageRoute(title), ...assets().map(assetRoute)];

const Document = z.looseObject({
  openapi: z.string().describe('Version of OpenAPI.'),
  info: z.looseObject({}).describe('Title, version and description of the API.'),
  paths: z.looseObject({}).describe('Operations by path and method.'),
});

export const addDescriptionRoutes = (description: ServiceDescription, routes: readonly Route[]): readonly Route[] => {
  let made: Buffer | undefined;
  const all: readonly Route[] = [
    ...routes,
    {
      method: 'get',
      path: '/openapi.json',
      summary: 'This description, as OpenAPI 3.1 has it.',
      operationId: 'getOpenApi',
      access: 'public',
      examples: [{ name: 'ask' }],
      schemas: { responses: { 200: Document } },
      // Built on the first request, because most processes never serve the document.
      handle: () =>
        cacheCompressed(
          rawResponse(
            200,
            'application/json',
            (made ??= Buffer.from(JSON.stringify(buildOpenApiDocument(description, all)))),
          ),
        ),
    },
    ...docsRoutes(description.title),
  ];
  return all;
};

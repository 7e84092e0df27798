import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cacheCompressed, rawResponse } from '../http/answer.ts';
import type { Route } from '../http/route.ts';
import { docsPage, docsPolicy, docsScript } from './docs-page.ts';

interface Asset {
  /** Names its content, so that it may be kept for ever. */
  readonly path: string;
  readonly content: Buffer;
}

const assetOf = (name: string, content: Buffer): Asset => {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
  return { path: `/docs/${name}-${hash}.js`, content };
};

let read: readonly Asset[] | undefined;

/** Read once a process. */
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

/** The description as a page for people, and what that page loads. */
export const docsRoutes = (title: string): readonly Route[] => [pageRoute(title), ...assets().map(assetRoute)];

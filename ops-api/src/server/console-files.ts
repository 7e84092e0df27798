import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { allowCompression, rawResponse, type Route } from '@popsvc/http-kit/server';
import type { Log } from '@popsvc/platform/telemetry';

/** Forbids inline code, so that injected markup cannot run scripts. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

const route = (path: string, summary: string, handle: Route['handle']): Route => ({
  method: 'get',
  path,
  summary,
  access: 'public',
  isInternal: true,
  handle,
});

const assetRoute = (folder: string, name: string): Route => {
  const content = readFileSync(join(folder, name));
  const headers = { 'Cache-Control': 'public, max-age=31536000, immutable' };
  const contentType = types[extname(name)] ?? 'application/octet-stream';
  return route(`/assets/${name}`, 'A part of the console.', () =>
    allowCompression(rawResponse(200, contentType, content, headers)),
  );
};

/** Asset names contain a content hash, so browsers may cache assets for a year and revalidate only the page. */
export const consoleRoutes = (folder: string, log: Pick<Log, 'warn'>): readonly Route[] => {
  const index = join(folder, 'index.html');
  if (!existsSync(index)) {
    log.warn('console is not built; run npm run build');
    return [];
  }
  const page = readFileSync(index);
  const assets = join(folder, 'assets');
  const headers = { 'Cache-Control': 'no-cache', 'Content-Security-Policy': policy };
  return [
    route('/', 'The console.', () => rawResponse(200, 'text/html; charset=utf-8', page, headers)),
    ...readdirSync(assets).map((name) => assetRoute(assets, name)),
  ];
};

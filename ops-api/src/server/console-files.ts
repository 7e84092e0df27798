import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { allowCompression, rawResponse, type Route } from '@popsvc/platform/http';
import type { Log } from '@popsvc/platform/telemetry';

/**
 * What the operators' page may do: run the scripts of this server, look as its styles say, ask this server. Nothing stands in the
 * page itself, so nothing that somebody smuggles into it does anything.
 */
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

/**
 * The operators' page at `/`, as it was built into `folder`, read once. Its parts are named by what is in them, so they may be kept
 * for ever; the page that names them is asked for each time. None where it was not built.
 */
export const consoleRoutes = (folder: string, log: Pick<Log, 'warn'>): readonly Route[] => {
  const index = join(folder, 'index.html');
  if (!existsSync(index)) {
    log.warn('there is no console: npm run build makes it');
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

import { type ResponseHeaders, rawResponse, type RawResponse } from '@popsvc/platform/http';
import { mediaTypes, type PageFormat } from '../asked/index.ts';
import type { Page } from './cut-page.ts';

interface Answered {
  readonly name: string;
  readonly format: PageFormat;
  readonly limit: number;
  readonly total: number;
  readonly page: Page;
}

/** A page in the envelope of the contract, or as bare rows with the rest in headers. */
export const pageAnswer = (answered: Answered): RawResponse => {
  const content = answered.format === 'json' ? inEnvelope(answered) : answered.page.rows;
  const headers = { Vary: 'Accept', ...(answered.format === 'ndjson' && beside(answered)) };
  return rawResponse(200, mediaTypes[answered.format], content, headers);
};

const inEnvelope = ({ name, limit, total, page: { count, nextAfter, rows } }: Answered): Buffer => {
  const message = `${name} rows retrieved`;
  const data = JSON.stringify({ total, limit, next_after: nextAfter, count });
  const head = `{"status":true,"message":${JSON.stringify(message)},"data":${data.slice(0, -1)},"rows":[`;
  return Buffer.concat([Buffer.from(head), rows, Buffer.from(']}}')]);
};

/** Without X-Next-After there is no next page. */
const beside = ({ total, page: { nextAfter } }: Answered): ResponseHeaders => ({
  'X-Total': String(total),
  ...(nextAfter !== null && { 'X-Next-After': nextAfter }),
});

import { request } from 'node:http';
import type { EventStatusReport } from '@popsvc/contracts/responses';
import { mappingStream } from '@popsvc/contracts/events';
import { expect } from 'chai';
import type { TestServices } from '../support/test-services.ts';

export interface EventStatusReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: EventStatusReport & { readonly message?: string; readonly error?: { readonly code: string } };
}

/** Uses node:http, because fetch normalizes `/..` to another path. */
export const requestEventStatus = (
  baseUrl: string,
  eventId: string,
  headers: Readonly<Record<string, string>>,
  query = '',
): Promise<EventStatusReply> =>
  new Promise((resolve, reject) => {
    const path = `/popsvc/v1/pop/events/${encodeURIComponent(eventId)}${query}`;
    request(baseUrl, { path, headers: { ...headers, connection: 'close' } }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: JSON.parse(text) as EventStatusReply['body'],
        }),
      );
    })
      .once('error', reject)
      .end();
  });

/** A valid play with an id. */
export const playOf = (eventId: string, fields: object = {}) => ({
  eventId,
  screenId: 'screen-1',
  campaignId: 'C-100',
  creativeId: 'CR-1',
  playedAt: new Date(Date.now() - 3_600_000).toISOString(),
  durationMs: 10_000,
  ...fields,
});

/** Creates a function that pushes over HTTP and expects 202. */
export const createPush =
  ({ ingestUrl }: Pick<TestServices, 'ingestUrl'>, apiKey: string) =>
  async (path: string, body: object): Promise<void> => {
    const answer = await fetch(`${ingestUrl}/popsvc/v1${path}`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(answer.status, await answer.text()).to.equal(202);
  };

/** A mapping of events `{ ref, screen, io, asset, start, seconds }`; `start` names the field of the start. */
export const registerMapping = (
  { append }: Pick<TestServices, 'append'>,
  {
    version,
    start = 'start',
    network = 1,
    vendor = 'acme',
  }: { version: number; start?: string; network?: number; vendor?: string },
): Promise<bigint> =>
  append(
    mappingStream(vendor),
    'MappingRegistered',
    {
      network,
      version,
      mapping: {
        vendor,
        schema_version: 'own-1',
        fields: {
          eventId: { path: 'ref' },
          screenId: { path: 'screen' },
          campaignId: { path: 'io' },
          creativeId: { path: 'asset' },
          playedAt: { path: start, time: 'iso' },
          duration: { path: 'seconds', unit: 's' },
        },
      },
    },
    { network, vendor },
  );

import type { TestServices } from '../support/test-services.ts';
import { expect } from 'chai';

/** The body of a response to a vendor; `error` is present only in errors. */
export interface VendorReply<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body & {
    readonly message?: string;
    readonly error?: { readonly code: string; readonly details: readonly { readonly path: string }[] };
  };
}

/** Creates a function that sends GET requests under `/popsvc/v1/pop` with an API key. */
export const createVendorReader =
  (baseUrl: string) =>
  async <Body>(path: string, apiKey: string | undefined): Promise<VendorReply<Body>> => {
    const headers: Record<string, string> = apiKey === undefined ? {} : { 'x-api-key': apiKey };
    const response = await fetch(`${baseUrl}/popsvc/v1/pop${path}`, { headers });
    const body = (await response.json()) as VendorReply<Body>['body'];
    return { status: response.status, headers: response.headers, body };
  };

/** Expects an INVALID_PARAM error about these parameters. */
export const expectInvalid = ({ status, body }: VendorReply<object>, ...paths: readonly string[]): void => {
  expect([status, body.error?.code], JSON.stringify(body)).to.deep.equal([400, 'INVALID_PARAM']);
  expect(body.error?.details.map(({ path }) => path)).to.deep.equal(paths);
};

/** Registers a mapping for the schema version `unknown-1` that converts every event with a field `n`. */
export const registerConstantMapping = ({ append }: Pick<TestServices, 'append'>): Promise<bigint> =>
  append(
    'mapping-acme',
    'MappingRegistered',
    {
      network: 1,
      version: 1,
      mapping: {
        vendor: 'acme',
        schema_version: 'unknown-1',
        fields: {
          screenId: { const: 'screen-1' },
          campaignId: { path: 'n' },
          creativeId: { const: 'CR-1' },
          playedAt: { const: '2026-08-20T14:00:00Z', time: 'iso' },
          duration: { const: 10, unit: 's' },
        },
      },
    },
    { network: 1, vendor: 'acme' },
  );

import { Detection, Interval, PopEvent, Reconcile, RequestUpload, StartBulkIngest } from '@popsvc/contracts/commands';
import { Mapping } from '@popsvc/contracts/mappings';
import { dropNulls } from '@popsvc/contracts/nulls';
import { RegistryFile } from '@popsvc/contracts/registry';
import { NewWebhook, RotateWebhook } from '@popsvc/contracts/webhooks';
import { expect } from 'chai';
import { z } from 'zod';

const site = { id: 1, name: 'Quay', network: 1, timezone: 'Europe/London' };
const mapping = { vendor: 'acme', schema_version: '1' };
const screen = { path: 'screen' };

describe('null in a request', () => {
  for (const [what, schema, sent, kept] of [
    [
      'in optional fields of a play at any depth, not in free content',
      PopEvent,
      { siteId: null, impressions: { ageBuckets: { total: 1, male: null }, panel: null }, context: { a: null } },
      { impressions: { ageBuckets: { total: 1 }, panel: null }, context: { a: null } },
    ],
    ['in a required field', PopEvent, { eventId: null, screenId: 'a' }, { eventId: null, screenId: 'a' }],
    ['in a field of two types', Detection, { age: null, watches: [null] }, { watches: [null] }],
    ['in a field where null has a meaning', Interval, { endedAt: null, revision: null }, { endedAt: null }],
    ['in a field with a default', RequestUpload, { fileName: 'a.csv', expiresInSeconds: null }, { fileName: 'a.csv' }],
    ['in metadata', StartBulkIngest, { metadata: { batch: null } }, { metadata: { batch: null } }],
    ['in place of metadata', StartBulkIngest, { metadata: null }, {}],
    [
      'in items of a list',
      Reconcile,
      { counts: null, events: [{ eventId: 'e', contentHash: null }] },
      { events: [{ eventId: 'e' }] },
    ],
    [
      'in a registry file',
      RegistryFile,
      { devices: null, sites: [{ ...site, retired: null, business_hours: { mon: null, tue: ['09:00-17:00'] } }] },
      { sites: [{ ...site, business_hours: { tue: ['09:00-17:00'] } }] },
    ],
    [
      'in a mapping',
      Mapping,
      { ...mapping, columns: null, fields: { screenId: { ...screen, default: null, map: { a: null } }, siteId: null } },
      { ...mapping, fields: { screenId: { ...screen, map: { a: null } } } },
    ],
    ['in a new webhook', NewWebhook, { url: 'u', description: null }, { url: 'u' }],
    ['in a rotation', RotateWebhook, { overlap_seconds: null }, {}],
    ['for the whole body', PopEvent, null, null],
    ['in place of an object', RegistryFile, { sites: [null, 'a', 1] }, { sites: [null, 'a', 1] }],
  ] as const)
    it(`is absence in optional fields only: ${what}`, () => {
      expect(dropNulls(schema as z.ZodType, structuredClone(sent) as unknown)).to.deep.equal(kept);
    });

  it('stays an error in a required field', () => {
    const body = z.strictObject({ a: z.string(), b: z.string().optional() });
    expect(body.safeParse(dropNulls(body, { a: 'x', b: null })).success).to.equal(true);
    expect(body.safeParse(dropNulls(body, { a: null })).success).to.equal(false);
  });
});

import { expect } from 'chai';
import type { z } from 'zod';
import { Heartbeat, RequestUpload } from '@popsvc/contracts/commands';
import { toErrorDetails, describeZodIssue } from '@popsvc/contracts/errors';
import { Mapping } from '@popsvc/contracts/mappings';

const messagesOf = (schema: z.ZodType, value: unknown): readonly string[] =>
  toErrorDetails(schema.safeParse(value, { error: describeZodIssue }).error?.issues ?? []).map(({ path, message }) =>
    `${path} ${message}`.trim(),
  );

describe('describeZodIssue and toErrorDetails', () => {
  const at = '2026-09-14T12:00:00Z';

  it('describe the constraint that a value violates', () => {
    expect(messagesOf(RequestUpload, { fileName: '', format: 'xml', expiresInSeconds: 86_401 })).to.deep.equal([
      'fileName must have at least 1 character',
      'format must be one of ndjson, json, csv',
      'expiresInSeconds must be at most 86400',
    ]);
    expect(
      messagesOf(RequestUpload, { fileName: 'x'.repeat(256), format: 'csv', expiresInSeconds: 1.5 }),
    ).to.deep.equal(['fileName must have at most 255 characters', 'expiresInSeconds must be a whole number']);
    expect(messagesOf(RequestUpload, [])).to.deep.equal(['must be an object']);
    expect(messagesOf(Mapping.shape.columns, [])).to.deep.equal(['must hold at least 1 item']);
  });

  it('name a field once and describe its type', () => {
    expect(messagesOf(Heartbeat, { deviceId: '31', at })).to.deep.equal(['deviceId must be a number']);
    expect(messagesOf(Heartbeat, { deviceId: 0, at })).to.deep.equal(['deviceId must be at least 1']);
    expect(messagesOf(Heartbeat, { deviceId: 2 ** 53, at })).to.deep.equal([`deviceId must be at most ${2 ** 53 - 1}`]);
    expect(messagesOf(Heartbeat, { deviceId: 31 })).to.deep.equal(['at is required']);
    expect(messagesOf(Heartbeat, { deviceId: 31, at: 5 })).to.deep.equal(['at must be text']);
  });

  it('omit numbers that JSON parsing may have rounded', () => {
    const valueOf = (text: string) => {
      const sent: unknown = JSON.parse(`{ "deviceId": ${text}, "at": "${at}" }`);
      return toErrorDetails(Heartbeat.safeParse(sent).error!.issues, '', sent)[0]!.value;
    };
    expect(['9007199254740993', '-9007199254740993', '1e999'].map(valueOf)).to.deep.equal(Array(3).fill(undefined));
    expect(['-9007199254740991', '1.5'].map(valueOf)).to.deep.equal(['-9007199254740991', '1.5']);
  });

  it('keep the messages of a schema', () =>
    expect(messagesOf(RequestUpload, { fileName: '../x', format: 'csv' })).to.deep.equal([
      'fileName must be a name, not a path',
    ]));
});

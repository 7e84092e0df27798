import { CommandApiConfig } from '@popsvc/command-api/service';
import { readConfig } from '@popsvc/platform/config';
import { openObjectStore, parseUploadSigningKeys } from '@popsvc/platform/object-storage';
import { expect } from 'chai';
import { temporaryFolder } from '@popsvc/tools/rig';

const required = {
  EVENTSTORE_URL: 'esdb://localhost:2113?tls=false',
  DATABASE_URL: 'postgres://localhost/popsvc',
  POPSVC_OPERATOR_TOKEN: 'operator-token-of-tests',
};
const [key, other] = ['k'.repeat(32), 'o'.repeat(32)] as const;
const s3 = {
  S3_ENDPOINT: 'http://localhost:9000',
  S3_BUCKET: 'uploads',
  S3_ACCESS_KEY_ID: 'id',
  S3_SECRET_ACCESS_KEY: 'hidden-secret',
};
const read = (env: Record<string, string>) => readConfig(CommandApiConfig, { ...required, ...env });

describe('environment variables of uploads', () => {
  it('require a signing key unless S3 is configured', () => {
    expect(() => read({})).to.throw('UPLOAD_SIGNING_KEY');
    expect(() => read({ UPLOAD_SIGNING_KEY: key })).to.not.throw();
    expect(() => read(s3)).to.not.throw();
  });

  it('accept several keys, the signing key first, and reject short keys', () => {
    const keys = (text: string) =>
      parseUploadSigningKeys(read({ UPLOAD_SIGNING_KEY: text })).map((one) => one.reveal());
    expect(keys(key)).to.deep.equal([key]);
    expect(keys(`${other}, ${key}`)).to.deep.equal([other, key]);
    for (const text of ['short', `${key},`, `${key},short`]) expect(() => keys(text)).to.throw('UPLOAD_SIGNING_KEY');
    expect(JSON.stringify(read({ UPLOAD_SIGNING_KEY: key }))).to.not.include(key);
  });

  for (const name of Object.keys(s3))
    it(`name a missing ${name} without revealing a secret`, () => {
      const rest = Object.fromEntries(Object.entries(s3).filter(([one]) => one !== name));
      const message = (() => {
        try {
          read({ ...rest, UPLOAD_SIGNING_KEY: key });
          return 'nothing';
        } catch (error) {
          return String(error);
        }
      })();
      expect(message).to.include(`${name}: must be set`).and.to.not.include('hidden-secret');
    });

  it('limit a file to 2 GiB by default', () => {
    expect(read({ UPLOAD_SIGNING_KEY: key }).MAX_UPLOAD_BYTES).to.equal(2 ** 31);
    expect(() => read({ UPLOAD_SIGNING_KEY: key, MAX_UPLOAD_BYTES: '2GiB' })).to.throw('MAX_UPLOAD_BYTES');
  });

  it('select the object store', async () => {
    const disk = await openObjectStore(read({ UPLOAD_SIGNING_KEY: key, DATA_DIR: await temporaryFolder('uploads') }));
    const away = await openObjectStore(read(s3));
    expect([disk.kind, away.kind]).to.deep.equal(['disk', 's3']);
    await Promise.all([disk.close(), away.close()]);
  });
});

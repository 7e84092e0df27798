import { openS3ObjectStore } from '@popsvc/platform/object-storage';
import { expect } from 'chai';
import { s3Server } from './s3-server.fixture.ts';

type Server = Awaited<ReturnType<typeof s3Server>>;

describe('upload URLs of S3', () => {
  let server: Server;
  before(async () => {
    server = await s3Server();
  });
  after(() => server.close());

  const contentType = 'text/csv';
  const target = async (expiresInMs = 60_000) =>
    (
      await (
        await openS3ObjectStore(server)
      ).createUploadTarget('uploads/7/f', { format: 'csv', expiresAtMs: Date.now() + expiresInMs })
    ).url;
  const put = async (url: string, headers: Record<string, string> = { 'Content-Type': contentType }) =>
    (await fetch(url, { method: 'PUT', body: 'a,b\n', headers })).status;

  it('accept the file', async () => expect(await put(await target())).to.equal(200));

  it('are bound to the content type', async () => {
    const url = await target();
    expect(new URL(url).searchParams.get('X-Amz-SignedHeaders')?.split(';')).to.include('content-type');
    expect(await put(url, { 'Content-Type': 'application/json' })).to.equal(403);
    expect(await put(url, {})).to.equal(403);
  });

  it('are bound to the key, the method and the time', async () => {
    const url = await target();
    expect(await put(url.replace('/uploads/7/f', '/uploads/8/f'))).to.equal(403);
    expect(await put(url.replace(/X-Amz-Expires=\d+/, 'X-Amz-Expires=86400'))).to.equal(403);
    expect((await fetch(url)).status).to.equal(403);
  });

  it('expire after their lifetime', async () => {
    const url = await target(1_000);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(await put(url)).to.equal(403);
  });

  it('do not contain the secret', async () => {
    const store = await openS3ObjectStore({ ...server, secretAccessKey: 'another-secret' });
    const { url, instructions } = await store.createUploadTarget('uploads/7/f', {
      format: 'csv',
      expiresAtMs: Date.now() + 9e4,
    });
    expect(url + instructions).to.not.include('another-secret');
    expect(instructions).to.include('uncompressed');
    expect(await put(url)).to.equal(403);
  });

  it('fails a ping without its bucket or without a server', async () => {
    const outcome = async (access: Partial<Server>) => {
      const store = await openS3ObjectStore({ ...server, ...access });
      const result = await store.ping().then(
        () => 'answers',
        () => 'fails',
      );
      await store.close();
      return result;
    };
    expect(await outcome({})).to.equal('answers');
    expect(await outcome({ bucket: 'another' })).to.equal('fails');
    expect(await outcome({ endpoint: 'http://127.0.0.1:9' })).to.equal('fails');
  });
});

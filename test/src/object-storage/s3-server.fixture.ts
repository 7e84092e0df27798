import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { S3Access } from '@popsvc/platform/object-storage';
import S3rver from 's3rver';
import { temporaryFolder, addCleanUp } from '@popsvc/tools/rig';
import { faultOfPresigned } from './signed-request.fixture.ts';

/** The only account of the server. */
const account = 'S3RVER';

/** Starts an S3 server with an empty bucket on a free port. It verifies signed URLs. */
export const s3Server = async (): Promise<S3Access & { close(): Promise<void> }> => {
  const s3 = new S3rver({
    silent: true,
    directory: await temporaryFolder('s3'),
    vhostBuckets: false,
    configureBuckets: [{ name: 'uploads', configs: [] }],
  });
  await s3.configureBuckets();
  const serve = s3.callback();
  const server = createServer((request, response) => {
    const fault = request.url?.includes('X-Amz-Signature=') ? faultOfPresigned(request, account) : undefined;
    if (fault === undefined) {
      serve(request, response);
      return;
    }
    request.resume();
    response.writeHead(403).end(fault);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  addCleanUp(close);
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bucket: 'uploads',
    accessKeyId: account,
    secretAccessKey: account,
    close,
  };
};

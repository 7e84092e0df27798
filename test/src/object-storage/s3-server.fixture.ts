import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { S3Access } from '@popsvc/platform/object-storage';
import S3rver from 's3rver';
import { temporaryFolder, addCleanUp } from '@popsvc/tools/rig';
import { faultOfPresigned } from './signed-request.fixture.ts';

/** The only account of the server. */
const account = 'S3RVER';

/**
 * Returns the response of S3 to a request with a signed URL that it refuses; undefined if it accepts the request. S3 needs the
 * length of a file before its content.
 */
const refusalOfPresigned = (request: IncomingMessage): { status: number; fault: string } | undefined => {
  if (!request.url?.includes('X-Amz-Signature=')) return undefined;
  if (request.headers['transfer-encoding'] !== undefined) return { status: 501, fault: 'NotImplemented' };
  const fault = faultOfPresigned(request, account);
  return fault === undefined ? undefined : { status: 403, fault };
};

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
    const refusal = refusalOfPresigned(request);
    if (refusal === undefined) {
      serve(request, response);
      return;
    }
    request.resume();
    response.writeHead(refusal.status).end(refusal.fault);
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

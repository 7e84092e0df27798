import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { coffeeRow, noon } from './rows.fixture.ts';
import { bearer, type TestQueryApi } from './test-query-api.fixture.ts';

const window = 'from=2026-08-20T00:00:00Z&to=2026-08-21T00:00:00Z';

/** Rows of network 1 within one second; every second row belongs to site 11. */
export const rowsOfOneSecond = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    coffeeRow({ network_id: 1, ts: noon + (index % 1_000), number: index, site_id: index % 2 === 0 ? 11 : 0 }),
  );

/** Starts a download; nothing of the response body is read yet. */
export const beginDownload = async (
  api: TestQueryApi,
  token: string,
  more = '',
  coding = 'identity',
): Promise<IncomingMessage> => {
  const request = get(`${api.url}/api/v1/coffee/download?${window}${more}`, {
    agent: false,
    headers: { ...bearer(token), 'accept-encoding': coding },
  });
  request.on('error', () => undefined);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
};

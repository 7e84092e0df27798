import { setTimeout as sleep } from 'node:timers/promises';
import { dataOf, type ServiceConnection, waitUntilProjected, withRetries } from '@popsvc/cli/service-client';

const pollMs = 500;
/** If `data_as_of` of the networks does not advance for this long, waiting ends with an error. */
const stallTimeoutMs = 120_000;

/**
 * Waits until reports and analysts' views contain everything that the service has received of the networks. The lag of a projection is
 * not enough: a batch with too many plays and detections puts its networks off, and their rows follow when the lag is 0 again.
 */
export const waitUntilReported = async (
  networks: readonly number[],
  { ops }: Pick<ServiceConnection, 'ops'>,
): Promise<void> => {
  const readSummary = async () => {
    const request = ops.GET('/ops/v1/networks/summary', withRetries(stallTimeoutMs));
    const { response } = await request;
    // The clock of the server, since that of this machine may differ.
    const serverMs = Date.parse(response.headers.get('date') ?? new Date().toISOString());
    const summary = await dataOf(request);
    const times = summary.networks
      .filter(({ id }) => networks.includes(id))
      .map(({ data_as_of: at }) => (at === null ? 0 : Date.parse(at)));
    return { serverMs, asOfMs: times.length < networks.length ? 0 : Math.min(...times) };
  };
  // The header has whole seconds: everything was received before the next one.
  const receivedByMs = (await readSummary()).serverMs + 1_000;
  await waitUntilProjected(ops, ['registry', 'coffee', 'watcher-summary', 'uptime', 'status'], () => undefined);
  let [advancedAt, lastAsOfMs] = [performance.now(), -1];
  for (;;) {
    const { asOfMs } = await readSummary();
    if (asOfMs >= receivedByMs) return;
    if (asOfMs > lastAsOfMs) [advancedAt, lastAsOfMs] = [performance.now(), asOfMs];
    if (performance.now() - advancedAt > stallTimeoutMs)
      throw new Error(`The rows of the networks did not advance for ${stallTimeoutMs / 1_000} s. Run popsvc doctor.`);
    await sleep(pollMs);
  }
};

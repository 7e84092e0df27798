import { intakeStream } from '@popsvc/contracts/events';
import { createApiKey } from '@popsvc/platform/auth';
import { type CommandApiProcess, startCommandApi } from '../command-api/command-api-process.fixture.ts';
import { commandApi } from '../command-api/command-api.fixture.ts';
import { play, popPath, type Reply, type Sender, sender } from '../command-api/sender.fixture.ts';
import { waitUntil } from '@popsvc/tools/rig';
import { type FaultProxy, faultProxy } from './fault-proxy.fixture.ts';

/** Requests and events a second that a key may send. */
export interface Rates {
  readonly requestsPerSecond: number;
  readonly eventsPerSecond: number;
}

export interface Vendor {
  readonly send: Sender;
  /** To another process over the same stores. */
  readonly sendTo: (service: CommandApiProcess) => Sender;
  /** Of its plays in the log. */
  readonly ids: () => Promise<readonly string[]>;
}

/** The intake as a process, with what is between it and its stores in the hands of the test. */
export interface CutOffIntake {
  readonly log: FaultProxy;
  readonly records: FaultProxy;
  /** Another process over the same stores. */
  start(env?: Readonly<Record<string, string>>): Promise<CommandApiProcess>;
  vendor(name: string, network: number, rates?: Rates): Promise<Vendor>;
  /** Nothing is disturbed any more, and the intake goes on. */
  heal(): Promise<void>;
  close(): Promise<void>;
}

export const timed = async (work: Promise<Reply>) => {
  const began = performance.now();
  return { reply: await work, ms: performance.now() - began };
};

export const cutOffIntake = async (): Promise<CutOffIntake> => {
  const api = await commandApi();
  const [log, records] = await Promise.all([faultProxy(api.node.url), faultProxy(api.databaseUrl)]);
  const start: CutOffIntake['start'] = (env) => startCommandApi(log.url, records.url, env);
  const service = await start();
  const vendor: CutOffIntake['vendor'] = async (name, network, rates) => {
    const { apiKey } = await createApiKey(api.postgres, { vendor: name, networkId: network, ...rates });
    const stream = intakeStream('pop', network, name, Date.now());
    const sendTo = ({ baseUrl }: CommandApiProcess) => sender(baseUrl, apiKey);
    return {
      send: sendTo(service),
      sendTo,
      ids: async () => (await api.events(stream)).map(({ data }) => (data as { eventId: string }).eventId),
    };
  };
  const healed = await vendor('healed', 1);
  return {
    log,
    records,
    start,
    vendor,
    async heal() {
      for (const proxy of [log, records]) proxy.heal();
      await waitUntil(
        () => healed.send(popPath, { events: [play()] }),
        ({ status }) => status === 202,
      );
    },
    async close() {
      await service.stop();
      await api.close();
    },
  };
};

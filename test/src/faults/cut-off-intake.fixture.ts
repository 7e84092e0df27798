import { intakeStream } from '@popsvc/contracts/events';
import { createApiKey } from '@popsvc/http-kit/auth';
import { type CommandApiProcess, startCommandApi } from '../command-api/command-api-process.fixture.ts';
import { commandApi } from '../command-api/command-api.fixture.ts';
import { play, popPath, type Reply, type Sender, sender } from '../command-api/sender.fixture.ts';
import { waitUntil } from '@popsvc/tools/rig';
import { type FaultProxy, startFaultProxy } from './fault-proxy.fixture.ts';

/** Limits of a key. */
export interface Rates {
  readonly requestsPerSecond: number;
  readonly eventsPerSecond: number;
}

export interface Vendor {
  readonly send: Sender;
  /** Sends to another process with the same stores. */
  readonly sendTo: (service: CommandApiProcess) => Sender;
  /** Ids of its plays in the log. */
  readonly ids: () => Promise<readonly string[]>;
}

/** The intake as a process, with proxies between it and its stores. */
export interface DisturbedIntake {
  readonly log: FaultProxy;
  readonly postgres: FaultProxy;
  /** Starts another process with the same stores. */
  start(env?: Readonly<Record<string, string>>): Promise<CommandApiProcess>;
  vendor(name: string, network: number, rates?: Rates): Promise<Vendor>;
  /** Ends all disturbances and waits until the intake accepts events. */
  heal(): Promise<void>;
  close(): Promise<void>;
}

export const timed = async (work: Promise<Reply>) => {
  const began = performance.now();
  return { reply: await work, ms: performance.now() - began };
};

export const startDisturbedIntake = async (): Promise<DisturbedIntake> => {
  const api = await commandApi();
  const [log, postgres] = await Promise.all([startFaultProxy(api.node.url), startFaultProxy(api.databaseUrl)]);
  const start: DisturbedIntake['start'] = (env) => startCommandApi(log.url, postgres.url, env);
  const service = await start();
  const vendor: DisturbedIntake['vendor'] = async (name, network, rates) => {
    const { apiKey } = await createApiKey(api.postgres, { vendor: name, networkId: network, ...rates });
    const stream = intakeStream('pop', network, name, Date.now());
    const sendTo = ({ baseUrl }: CommandApiProcess) => sender(baseUrl, apiKey);
    return {
      send: sendTo(service),
      sendTo,
      ids: async () => (await api.items(stream)).map(({ data }) => (data as { eventId: string }).eventId),
    };
  };
  const healed = await vendor('healed', 1);
  return {
    log,
    postgres,
    start,
    vendor,
    async heal() {
      for (const proxy of [log, postgres]) proxy.heal();
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

import { chance } from '../rig/chance.ts';
import type { Access } from './access.ts';
import { bulkFiles } from './bulk-files.ts';
import { delivering } from './deliver.ts';
import type { Ledger } from './ledger.ts';
import { again, type Doing } from './now-and-then.ts';
import { operatorChanges } from './operator-changes.ts';
import { type Vendor, vendorOf } from './vendor.ts';
import { networks, type SoakNetwork } from './world.ts';

export interface TrafficWish {
  readonly seed: number;
  /** Plays a second, of all networks together. */
  readonly rate: number;
  readonly endsMs: number;
}

const beatEveryMs = 20_000;
const fileEveryMs = 20_000;
const changeEveryMs = 15_000;
/** As vendors do who wait for an answer: so many requests may be under way. */
const mostUnderWay = 64;
/** Of the run, until the second schema is mapped. */
const mappedAtShare = 0.5;

/** Everything that is told to the service from outside, until it is stopped; then all of it was answered for good. */
export const startTraffic = (
  access: Access,
  ledger: Ledger,
  { seed, rate, endsMs }: TrafficWish,
  complain: (text: string) => void,
): Doing => {
  const deliver = delivering(access, ledger, complain);
  const screens = networks.reduce((sum, network) => sum + network.screens, 0);
  const beganMs = Date.now();
  const mappedAtMs = beganMs + (endsMs - beganMs) * mappedAtShare;
  const operator = operatorChanges(access, ledger, chance(seed + 5), complain);
  const files = bulkFiles(access, ledger, chance(seed + 6), complain);

  const doingsOf = (network: SoakNetwork, vendor: Vendor, own: ReturnType<typeof chance>): readonly Doing[] => {
    const share = (rate * network.screens) / screens;
    const waiting: string[] = [];
    let isMapped = false;
    const unmapped = async () => {
      if (isMapped) return;
      const sending = vendor.unmapped(Date.now());
      if (await deliver(sending)) waiting.push(...sending.plays.map(({ id }) => id));
      if (Date.now() < mappedAtMs) return;
      await operator.mapSecond(network);
      ledger.acknowledged(network, waiting, Date.now());
      isMapped = true;
    };
    const pushing = again(() => {
      const sending = vendor.next(Date.now());
      return { pauseMs: (sending.plays.length / share) * 1_000, done: deliver(sending) };
    }, mostUnderWay);
    const every = (pauseMs: number, work: () => Promise<unknown>) => again(() => ({ pauseMs, done: work() }));
    return [
      pushing,
      every(beatEveryMs, () => deliver(vendor.beats(Date.now()))),
      every(fileEveryMs, () => files(network, vendor)),
      every(changeEveryMs, () => (own.next() < 0.7 ? operator.move(network) : operator.remap(network))),
      every(10_000, unmapped),
    ];
  };

  const doings = networks.flatMap((network, index) => {
    const own = chance(seed + 10 * (index + 1));
    return doingsOf(network, vendorOf(network, own), own);
  });
  return {
    async stop() {
      await Promise.all(doings.map((doing) => doing.stop()));
    },
  };
};

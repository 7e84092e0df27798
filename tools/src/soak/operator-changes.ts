import { setTimeout as sleep } from 'node:timers/promises';
import type { Chance } from '../rig/chance.ts';
import { type Access, askOps, statusOf } from './access.ts';
import { outcomeOf } from './deliver.ts';
import type { Ledger } from './ledger.ts';
import { deviceAt, floors, mappingOf, type SoakNetwork } from './world.ts';

/** What the operator changes meanwhile: told until it is done, since the same again changes nothing. */
export const operatorChanges = (
  access: Access,
  ledger: Ledger,
  { below, next }: Chance,
  complain: (text: string) => void,
) => {
  const tell = async (kind: string, path: string, body: unknown): Promise<void> => {
    for (;;) {
      try {
        await askOps(access.service(), 'POST', path, body);
        ledger.tried(kind, 'ok');
        return;
      } catch (error) {
        // Somebody else changes something at the same time: it is told again.
        const [status, comeBack] = [statusOf(error), true];
        const outcome = outcomeOf(status, 200, comeBack);
        ledger.tried(kind, outcome);
        if (outcome === 'fail' || status === 500) complain(`${kind}: ${String(error)}`);
        if (outcome === 'fail') return;
        await sleep(1_000);
      }
    }
  };
  let moved = 0;
  return {
    /** A screen is called something else, or stands on another floor as of a minute ago. */
    async move(network: SoakNetwork): Promise<void> {
      const device = deviceAt(network, below(network.screens), below(floors), `Moved ${(moved += 1)}`);
      const since = next() < 0.5 ? { effective_from: new Date(Date.now() - below(60_000)).toISOString() } : {};
      await tell('registry', '/registry', { devices: [{ ...device, ...since }] });
    },
    remap: (network: SoakNetwork): Promise<void> =>
      tell('mapping', '/mappings', mappingOf(network, 'soak-1', next() < 0.5 ? 'length' : 'seconds')),
    /** From now on what waits for it counts, too. */
    mapSecond: (network: SoakNetwork): Promise<void> => tell('mapping', '/mappings', mappingOf(network, 'soak-2')),
  };
};

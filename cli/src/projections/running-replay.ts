import { Failure } from '../program/failure.ts';
import type { Ops } from '../service-client/ops-client.ts';
import type { ToldReplay } from './followed-replay.ts';

/** The replay or rollback of a projection that runs; throws where there is none, and says which projections there are. */
export const runningReplay = async (ops: Ops, name: string, verb: string): Promise<ToldReplay> => {
  const { replays } = await ops<{ replays: readonly ToldReplay[] }>('/replays');
  const running = replays.find((replay) => replay.name === name && replay.ended_at === null);
  if (running) return running;
  const names = (await ops<readonly { readonly name: string }[]>('/projections')).map((each) => each.name);
  if (!names.includes(name)) throw new Failure(`There is no projection ${name}; there are ${names.join(', ')}.`);
  throw new Failure(`There is no replay of ${name} to ${verb}.`);
};

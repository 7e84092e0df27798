import type { Queryable } from '../../postgres/index.ts';
import { removeMessages } from './messages.ts';

interface Gathering {
  readonly positions: string[];
  readonly removed: Promise<void>;
}

/** Removes what a consumer is done with; while one statement is under way, the messages of the next one gather. */
export const removals = (postgres: Queryable, consumer: string): ((position: string) => Promise<void>) => {
  let underWay: Promise<void> = Promise.resolve();
  let gathering: Gathering | undefined;
  const gather = (): Gathering => {
    const positions: string[] = [];
    const remove = () => {
      gathering = undefined;
      return removeMessages(postgres, consumer, positions);
    };
    const removed = underWay.then(remove, remove);
    underWay = removed;
    return { positions, removed };
  };
  return (position) => {
    gathering ??= gather();
    gathering.positions.push(position);
    return gathering.removed;
  };
};

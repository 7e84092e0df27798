import { Refusal } from '@popsvc/contracts/errors';
import { allProjections } from '../../all.ts';

const longest = 100;

/** What is said to who names none of those that have tables: which there are. */
export const noSuchProjection = (name: string): Refusal => {
  const names = allProjections.map((each) => each.name).join(', ');
  return new Refusal(
    'NOT_FOUND',
    `There is no projection ${name.slice(0, longest)} that has tables; there are ${names}.`,
  );
};

import { ApiError } from '@popsvc/contracts/errors';
import { projectionNames } from '@popsvc/read-models/generations';

const longest = 100;

/** What is said to who names none of those that have tables: which there are. */
export const noSuchProjection = (name: string): ApiError => {
  const names = projectionNames.join(', ');
  return new ApiError(
    'NOT_FOUND',
    `There is no projection ${name.slice(0, longest)} that has tables; there are ${names}.`,
  );
};

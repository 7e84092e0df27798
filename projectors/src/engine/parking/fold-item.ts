import type { LogItem } from '../log-items.ts';
import type { AppliedAt, Fold, Projection } from '../projection.ts';

/** Folds an item. Throws when the item must add a row to the open batch and adds none, because it would be lost. */
export const foldItem = (
  { rowEventTypes }: Pick<Projection, 'rowEventTypes'>,
  fold: Fold,
  item: LogItem,
  at?: AppliedAt,
): void => {
  const { rows } = fold.pending;
  fold.apply(item, at);
  if (rowEventTypes.includes(item.type) && fold.pending.rows === rows)
    throw new Error('the projection made no row of it');
};

/**
 * Refuses what a wish cannot hold. JavaScript lets misspelt fields pass, and a filter that nobody reads widens a report; so does a
 * list of none, which would be sent as no filter.
 */
export const refuseOthers = <Wish extends object>(wish: Wish, known: Readonly<Record<keyof Wish, true>>): void => {
  for (const [name, value] of Object.entries(wish)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(known, name))
      throw new TypeError(`there is no ${name} to be asked for, only ${Object.keys(known).join(', ')}`);
    if (Array.isArray(value) && value.length === 0)
      throw new TypeError(`${name} names none; without it, everything is asked for`);
  }
};

type Present<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** Fields that were given; those that are undefined are left out. */
export const present = <Fields extends object>(fields: Fields): Present<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<Fields>;

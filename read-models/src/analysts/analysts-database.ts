/**
 * The database analysts see, beside the one that holds the tables: the engine's grants know beginnings of names and no ends,
 * so that the two must not begin alike.
 */
export const analystsDatabase = (database: string): string => `analysts_${database}`;

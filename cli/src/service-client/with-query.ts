/** A path with its query; what is undefined is left out. */
export const withQuery = (path: string, fields: object): string => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) query.set(name, String(value));
  return query.size === 0 ? path : `${path}?${query.toString()}`;
};

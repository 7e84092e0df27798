/** A value of an answer in a line of text; `-` stands for none. */
export const cell = (value: unknown): string => {
  if (value === null || value === undefined) return '-';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

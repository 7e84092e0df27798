/** Parses ids that are separated by commas or spaces. The server checks that the networks exist. */
export const parseNetworkIds = (text: string): number[] => {
  const ids = text.split(/[\s,]+/).filter((part) => part !== '');
  const wrong = ids.find((id) => !/^\d{1,15}$/.test(id));
  if (ids.length === 0 || wrong !== undefined)
    throw new Error(`Networks must be ids, separated by commas${wrong === undefined ? '' : `; ${wrong} is none`}.`);
  return ids.map(Number);
};

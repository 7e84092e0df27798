/** ClickHouse accepts at most 128 KiB in a parameter, in which each byte of an id may be encoded as three. */
const maxChunkBytes = 32_768;

/** Divides items into lists whose texts fit into an array parameter of a query. `textOf`: the text that the parameter has for an item. */
export const chunkForParameter = <Item>(items: readonly Item[], textOf: (item: Item) => string): Item[][] => {
  const chunks: Item[][] = [];
  let bytes = Infinity;
  for (const item of items) {
    const size = Buffer.byteLength(JSON.stringify(textOf(item))) + 1;
    bytes += size;
    if (bytes > maxChunkBytes) {
      chunks.push([]);
      bytes = size;
    }
    chunks.at(-1)!.push(item);
  }
  return chunks;
};

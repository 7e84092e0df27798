/** Takes from several sources in turns, as networks send side by side. */
export function* inTurns<Item>(sources: readonly Iterable<Item>[]): Generator<Item> {
  let open = sources.map((source) => source[Symbol.iterator]());
  while (open.length > 0) {
    const still: typeof open = [];
    for (const source of open) {
      const next = source.next();
      if (next.done) continue;
      still.push(source);
      yield next.value;
    }
    open = still;
  }
}

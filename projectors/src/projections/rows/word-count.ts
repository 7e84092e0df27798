/** What a vocabulary made of a text. */
interface Word {
  readonly value: string;
  readonly mapped: boolean;
}

/** Takes the value of a word, and counts it under its vocabulary when it was not understood. */
export type Understand = (vocabulary: string, word: Word) => string;

export const wordCount = () => {
  let counts = new Map<string, number>();
  const understand: Understand = (vocabulary, { value, mapped }) => {
    if (!mapped) counts.set(vocabulary, (counts.get(vocabulary) ?? 0) + 1);
    return value;
  };
  return {
    understand,
    /** The counts since the last call. */
    take(): ReadonlyMap<string, number> {
      const taken = counts;
      counts = new Map();
      return taken;
    },
  };
};

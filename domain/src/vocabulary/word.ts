/** A word of a closed vocabulary, and whether the text was understood; one that was not is `unknown` and is counted. */
export interface VocabularyMatch<Value extends string> {
  readonly value: Value | 'unknown';
  readonly mapped: boolean;
}

const saysNothing = new Set(['unknown', 'undefined', 'null', 'none', 'n/a', 'na', 'not_known', 'not_available', '_']);

/** Lower case, trimmed, spaces and hyphens as underscores. */
const written = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '_');

/** Reads any text into a closed vocabulary; absent or blank text is unknown and counts as understood. */
export const vocabularyReader = <Value extends string>(
  values: readonly Value[],
  synonyms: Partial<Record<Value, readonly string[]>>,
): ((text: string | undefined) => VocabularyMatch<Value>) => {
  const known = new Map(values.map((value): [string, Value] => [value, value]));
  for (const value of values) for (const synonym of synonyms[value] ?? []) known.set(synonym, value);
  return (text) => {
    const word = written(text ?? '');
    if (word === '' || saysNothing.has(word)) return { value: 'unknown', mapped: true };
    const value = known.get(word);
    return value === undefined ? { value: 'unknown', mapped: false } : { value, mapped: true };
  };
};

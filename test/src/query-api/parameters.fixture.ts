/** Query parts that replace or join a good window. */
export type Parts = readonly (readonly [name: string, value: string])[];

export interface Case {
  readonly about: string;
  readonly at: readonly string[];
  readonly parts: Parts;
}

const [coffee, watchers] = ['/api/v1/coffee', '/api/v1/watcher-summary'];
export const pages = [coffee, watchers];
export const downloads = pages.map((path) => `${path}/download`);
export const everywhere = [...pages, ...downloads];
export const ofCoffee = everywhere.filter((path) => path.startsWith(coffee));
export const ofWatchers = everywhere.filter((path) => path.startsWith(watchers));

export const [from, to] = ['2026-08-01T00:00:00Z', '2026-08-02T00:00:00Z'];

export const queryOf = (parts: Parts): string => {
  const named = new Set(parts.map(([name]) => name));
  const kept = Object.entries({ from, to }).filter(([name]) => !named.has(name));
  return new URLSearchParams([...kept, ...parts].map(([name, value]): [string, string] => [name, value])).toString();
};

/** `parts` as `limit=5&limit=6`. */
export const at = (paths: readonly string[], written: string): Case => ({
  about: written,
  at: paths,
  parts: written.split('&').map((part): readonly [string, string] => {
    const mark = part.indexOf('=');
    return [part.slice(0, mark), part.slice(mark + 1)];
  }),
});

export const eachOf = (paths: readonly string[], name: string, values: readonly string[]): readonly Case[] =>
  values.map((value) => at(paths, `${name}=${value}`));

/** Query parameters that replace or extend a valid window. */
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
  const others = Object.entries({ from, to }).filter(([name]) => !named.has(name));
  return new URLSearchParams([...others, ...parts].map(([name, value]): [string, string] => [name, value])).toString();
};

/** Parses `limit=5&limit=6` to a case. */
export const at = (paths: readonly string[], written: string): Case => ({
  about: written,
  at: paths,
  parts: written.split('&').map((part): readonly [string, string] => {
    const equals = part.indexOf('=');
    return [part.slice(0, equals), part.slice(equals + 1)];
  }),
});

export const eachOf = (paths: readonly string[], name: string, values: readonly string[]): readonly Case[] =>
  values.map((value) => at(paths, `${name}=${value}`));

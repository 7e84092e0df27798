/** Numbers as the reader's own language writes them. */
const whole = new Intl.NumberFormat();
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
const onePlace = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });

export const wholeText = (value: number): string => whole.format(value);

/** Null where the store that knows it does not answer. */
export const knownText = (value: number | null): string => (value === null ? '–' : whole.format(value));

/** Short where there is hardly any room: 1.2K. */
export const compactText = (value: number): string => compact.format(value);

/** Short where there is little room: 12.3K. */
export const shortText = (value: number): string => (value < 10_000 ? onePlace.format(value) : compact.format(value));

export const percentText = (share: number): string => percent.format(share);

const sizes = ['B', 'kB', 'MB', 'GB', 'TB'];

export const bytesText = (bytes: number): string => {
  const step = bytes < 1 ? 0 : Math.min(sizes.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${onePlace.format(bytes / 1_000 ** step)} ${sizes[step] ?? ''}`;
};

/** A length of time by its two largest parts: `3 d 4 h`, `12 min 5 s`, `0.4 s`. */
export const durationText = (seconds: number): string => {
  if (seconds < 10) return `${onePlace.format(seconds)} s`;
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [Math.floor(seconds) % 60, 's'],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${whole.format(count)} ${unit}`)
    .join(' ');
};

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${wholeText(count)} ${count === 1 ? one : many}`;

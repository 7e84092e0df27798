/** In the language of the browser. */
const whole = new Intl.NumberFormat();
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
const oneDecimal = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });

export const formatWhole = (value: number): string => whole.format(value);

/** Null: the count is unknown, for example because its store does not respond. */
export const formatKnown = (value: number | null): string => (value === null ? '–' : whole.format(value));

/** Abbreviates large numbers, such as `1.2K`. */
export const formatCompact = (value: number): string => compact.format(value);

/** Abbreviates numbers from 10,000 on: `9,876.5`, but `12.3K`. */
export const formatShort = (value: number): string =>
  value < 10_000 ? oneDecimal.format(value) : compact.format(value);

export const formatPercent = (share: number): string => percent.format(share);

const byteUnits = ['B', 'kB', 'MB', 'GB', 'TB'];

export const formatBytes = (bytes: number): string => {
  const exponent = bytes < 1 ? 0 : Math.min(byteUnits.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${oneDecimal.format(bytes / 1_000 ** exponent)} ${byteUnits[exponent] ?? ''}`;
};

/** For example, `3 d 4 h`, `12 min 5 s` or `0.4 s`. */
export const formatDuration = (seconds: number): string => {
  if (seconds < 10) return `${oneDecimal.format(seconds)} s`;
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

export const formatCount = (count: number, singular: string): string =>
  `${formatWhole(count)} ${singular}${count === 1 ? '' : 's'}`;

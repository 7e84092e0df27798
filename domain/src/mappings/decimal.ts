/**
 * A number as decimal digits, without an exponent: what a vendor's numeric id reads like as text. Undefined for whole
 * numbers past 2^53, of which JSON has lost digits (two ids would become one), and for what is no number at all.
 */
export const decimal = (value: number): string | undefined => {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return undefined;
  const text = String(value);
  const [digits, exponent] = text.split('e-');
  if (exponent === undefined || digits === undefined) return text;
  const sign = value < 0 ? '-' : '';
  return `${sign}0.${'0'.repeat(Number(exponent) - 1)}${digits.replace(/[-.]/g, '')}`;
};

const written = /^(\d{1,15})(?:\.(\d{1,40}))?$/;

/**
 * Decimal digits, without sign or exponent, times 10^places as a whole number, half up; undefined for any other text.
 * Exact, since it stays text until the end.
 */
export const scaled = (text: string, places: 0 | 3): number | undefined => {
  const [whole, units, fraction = ''] = written.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const kept = Number(`${units!}${fraction.slice(0, places).padEnd(places, '0')}`);
  return kept + (fraction.slice(places) >= '5' ? 1 : 0);
};

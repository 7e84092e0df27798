import type { Parameters } from './parameters.ts';

/** The first is the one that is given when nothing else is asked for. */
export const pageFormats = ['json', 'ndjson'] as const;
export const downloadFormats = ['csv', 'ndjson', 'parquet'] as const;
export type PageFormat = (typeof pageFormats)[number];
export type DownloadFormat = (typeof downloadFormats)[number];

export const mediaTypes: Readonly<Record<PageFormat | DownloadFormat, string>> = {
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
};

/** Of these alone, by its whole text, an Accept header is heeded: what browsers and libraries send by themselves asks for nothing. */
const heeded = ['ndjson', 'parquet'] as const;

/** The parameter goes before the header; a header that names what this route has not is passed over. */
export const formatOf = <Format extends PageFormat | DownloadFormat>(
  parameters: Parameters,
  accept: string | undefined,
  formats: readonly [Format, ...Format[]],
): Format => {
  const text = parameters.text('format');
  if (text === undefined) {
    const named = accept?.trim().toLowerCase();
    const accepted = heeded.find((format) => mediaTypes[format] === named);
    return formats.find((format) => format === accepted) ?? formats[0];
  }
  const message = `format must be ${formats.slice(0, -1).join(', ')} or ${formats.at(-1)}`;
  return formats.find((format) => format === text) ?? parameters.refuse('format', message, formats[0]);
};

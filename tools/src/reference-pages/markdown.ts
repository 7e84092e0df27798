/** Escapes vertical bars and replaces line breaks with spaces, because either would end a table cell. */
const escapeCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(escapeCell).join(' | ')} |`).join('\n');

export const code = (text: string): string => `\`${text}\``;
export const codeList = (list: readonly string[]): string => list.map(code).join(', ');

export const json = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;

/** The anchor that GitHub makes of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\-_ ]/gu, '')
    .replaceAll(' ', '-');

const fewSections = 6;

/** Links to the sections of a page, and to the subsections after each; empty if there are only a few. */
const contents = (parts: readonly string[]): string => {
  const sections: string[][] = [];
  for (const [, level, heading = ''] of parts.flatMap((part) => [...part.matchAll(/^(##|###) (.+)$/gm)])) {
    const link = `[${heading.replaceAll('`', '')}](#${anchorOf(heading)})`;
    if (level === '##') sections.push([link]);
    else sections.at(-1)?.push(link);
  }
  if (sections.flat().length <= fewSections) return '';
  if (sections.every(({ length }) => length === 1)) return `**Contents:** ${sections.flat().join(', ')}`;
  return sections
    .map(([section = '', ...others]) => `- ${section}${others.length === 0 ? '' : `: ${others.join(', ')}`}`)
    .join('\n');
};

/**
 * Builds a page from a title, a note that states what the page is generated from, an introduction, and the non-empty parts, before
 * which a long page lists its sections.
 */
export const page = (title: string, from: string, [introduction = '', ...parts]: readonly string[]): string =>
  [
    `# ${title}`,
    `<!-- Generated from ${from} by \`npm run reference\`; a test fails when this page is stale. -->`,
    ...[introduction, contents(parts), ...parts].filter((part) => part !== ''),
  ].join('\n\n') + '\n';

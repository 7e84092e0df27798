/** Escapes what would end a table cell: bars and line breaks. */
const escapeCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** Builds a Markdown table. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(escapeCell).join(' | ')} |`).join('\n');

export const code = (text: string): string => `\`${text}\``;
export const codeList = (list: readonly string[]): string => list.map(code).join(', ');

export const fenced = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;

/** Builds a generated page; empty parts are left out. */
export const page = (title: string, from: string, parts: readonly string[]): string =>
  [
    `# ${title}`,
    `<!-- Generated from ${from} by \`npm run reference\`; a test fails when this page is stale. -->`,
    ...parts.filter((part) => part !== ''),
  ].join('\n\n') + '\n';

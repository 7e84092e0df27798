/** Escapes vertical bars and replaces line breaks with spaces, because either would end a table cell. */
const escapeCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(escapeCell).join(' | ')} |`).join('\n');

export const code = (text: string): string => `\`${text}\``;
export const codeList = (list: readonly string[]): string => list.map(code).join(', ');

export const fenced = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;

/** Builds a page from a title, a note that states what the page is generated from, and the non-empty parts. */
export const page = (title: string, from: string, parts: readonly string[]): string =>
  [
    `# ${title}`,
    `<!-- Generated from ${from} by \`npm run reference\`; a test fails when this page is stale. -->`,
    ...parts.filter((part) => part !== ''),
  ].join('\n\n') + '\n';

/** A cell may hold anything but the bar that ends it, and a line break. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');

export const code = (text: string): string => `\`${text}\``;
export const words = (list: readonly string[]): string => list.map(code).join(', ');

export const fenced = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;

/** A page that nobody writes by hand; parts that are empty are left out. */
export const page = (title: string, from: string, parts: readonly string[]): string =>
  [
    `# ${title}`,
    `<!-- Generated from ${from} by \`npm run reference\`; a test fails when this page is stale. -->`,
    ...parts.filter((part) => part !== ''),
  ].join('\n\n') + '\n';

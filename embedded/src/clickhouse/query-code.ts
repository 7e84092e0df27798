export type QueryCode = { readonly code: string } | { readonly problem: string };

/**
 * Replaces literals in single quotes by `''`, and `--` and block comments by a space. Other forms of string literals and comments, which
 * ClickHouse also has, are a `problem`.
 */
export const extractCode = (query: string): QueryCode => {
  if (query.includes('\0')) return { problem: 'contains a NUL character' };
  let code = '';
  let position = 0;
  while (position < query.length) {
    const part = partAt(query, position);
    if ('problem' in part) return { problem: `${part.problem} at position ${position + 1}` };
    code += part.code;
    position = part.end;
  }
  return { code };
};

type Part = { readonly code: string; readonly end: number } | { readonly problem: string };

const partAt = (query: string, start: number): Part => {
  const char = query[start]!;
  const two = query.slice(start, start + 2);
  if (char === "'") return quoted(query, start, () => "''");
  if (char === '"' || char === '`') return quotedName(query, start);
  if (two === '--') {
    const end = query.indexOf('\n', start);
    return { code: ' ', end: end < 0 ? query.length : end };
  }
  if (two === '/*') return blockComment(query, start);
  // In ClickHouse, `//` and `#` can begin a comment, too.
  if (two === '//' || char === '#')
    return { problem: `has "${two === '//' ? two : char}", which begins a comment; use --` };
  // `$` begins a heredoc, and some typographic quotes are quotes to ClickHouse.
  if (!/[\t\n\r -~]/.test(char) || char === '$' || char === '\\')
    return { problem: `has the character ${JSON.stringify(char)} outside of quotes` };
  return { code: char, end: start + 1 };
};

const quoted = (query: string, start: number, codeOf: (text: string) => string): Part => {
  const quote = query[start]!;
  for (let end = start + 1; end < query.length; end++) {
    if (query[end] === '\\') end += 1;
    else if (query[end] === quote) {
      if (query[end + 1] === quote) end += 1;
      else return { code: codeOf(query.slice(start, end + 1)), end: end + 1 };
    }
  }
  return { problem: 'has a quote that is not closed' };
};

const quotedName = (query: string, start: number): Part => {
  const part = quoted(query, start, (text) => text);
  return 'code' in part && part.code.includes('\\') ? { problem: 'has a backslash in a quoted name' } : part;
};

const blockComment = (query: string, start: number): Part => {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = start;
  let depth = 0;
  for (let mark = marks.exec(query); mark; mark = marks.exec(query)) {
    depth += mark[0] === '/*' ? 1 : -1;
    if (depth === 0) return { code: ' ', end: marks.lastIndex };
  }
  return { problem: 'has a comment that is not closed' };
};

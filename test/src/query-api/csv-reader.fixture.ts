/** Parses CSV strictly by RFC 4180: CRLF ends each record, quotes are doubled. Unquoted empty fields are null. */
export const readCsv = (text: string): readonly (readonly (string | null)[])[] => {
  const records: (string | null)[][] = [];
  let record: (string | null)[] = [];
  let at = 0;
  while (at < text.length) {
    let field: string | null;
    if (text[at] === '"') {
      field = '';
      for (at++; ; at++) {
        if (at >= text.length) throw new Error('unclosed quote');
        if (text[at] !== '"') field += text.charAt(at);
        else if (text[at + 1] === '"') field += text.charAt(at++);
        else break;
      }
      at++;
    } else {
      const end = text.slice(at).search(/,|\r\n/);
      if (end < 0) throw new Error('the last record does not end');
      const bare = text.slice(at, at + end);
      if (/["\r\n]/.test(bare)) throw new Error(`an unquoted field contains characters that require quotes: ${bare}`);
      field = bare === '' ? null : bare;
      at += end;
    }
    record.push(field);
    if (text.startsWith('\r\n', at)) {
      records.push(record);
      record = [];
      at += 2;
    } else if (text[at] === ',') at++;
    else throw new Error(`neither comma nor line end after a field: ${text.slice(at, at + 20)}`);
  }
  if (record.length > 0) throw new Error('the last record does not end');
  return records;
};

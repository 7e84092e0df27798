const lineEnd = 0x0a;

/** Line ends in a piece of text; what is downloaded may be longer than a string can be. */
export const linesIn = (chunk: Uint8Array): number => {
  let lines = 0;
  for (let at = chunk.indexOf(lineEnd); at >= 0; at = chunk.indexOf(lineEnd, at + 1)) lines += 1;
  return lines;
};

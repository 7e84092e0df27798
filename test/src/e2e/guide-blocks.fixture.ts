import { read } from '../architecture/tree.fixture.ts';

/** The code blocks of one language in a page, in order. */
export const blocksOf = (page: string, language: string): readonly string[] =>
  [...read(page).matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, text = '']) => text);

/** The programs in a page, by the file name in their first line. */
export const programsOf = (page: string, language: string): ReadonlyMap<string, string> =>
  new Map(
    blocksOf(page, language).flatMap((text) => {
      const name = /^(?:\/\/|#|--) ([a-z-]+\.[a-z]+)\n/.exec(text)?.[1];
      return name === undefined ? [] : [[name, text] as const];
    }),
  );

import { flaggedWords } from './flagged-words.mjs';

/** Spelling of code, comments, documentation and file names. spell.mjs selects the files. */
export default {
  version: '0.2',
  // British and American spelling are both accepted.
  language: 'en,en-GB',
  dictionaryDefinitions: [{ name: 'project', path: './dictionary.txt', addWords: true }],
  dictionaries: ['project', 'typescript', 'node', 'npm', 'softwareTerms', 'sql', 'docker', 'aws', 'fullstack'],
  flagWords: flaggedWords,
  ignoreRegExpList: [
    // `createClickHouseClient` is split into its parts, of which one is a flagged word.
    '/click[-_ ]?house/gi', // cspell:ignore house
    // An HTML element has the name of a flagged word.
    '/<\\/?aside\\b/g', // cspell:ignore aside
    // Headings as anchors of links, which are written without spaces: `operators.md#reportsslow`.
    '/(?<=\\.md|\\()#[\\w-]+/g',
    // Characters and JSON Web Tokens as they are written in tests.
    '/\\\\u\\{?[0-9a-f]{4,6}\\}?/gi',
    '/\\beyJ[\\w-]+\\.[\\w-]+\\.[\\w-]*/g',
  ],
};

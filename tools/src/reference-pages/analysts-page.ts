import { analystViews } from '@popsvc/read-models/analysts';
import { code, page, table } from './markdown.ts';

export const analystsPage = (): string =>
  page('What analysts see', '`read-models/src/analysts`', [
    'Views in the database `analysts_popsvc`, of the networks of whoever asks, always of the live generation. The same words are comments on the views and their columns in ClickHouse. [How to ask](../guides/analysts.md).',
    ...analystViews.flatMap(({ name, about, columns }) => [
      `## ${name}`,
      about,
      table(
        ['Column', 'Type', 'Meaning'],
        Object.entries(columns).map(([column, { type, about: meaning }]) => [code(column), code(type), meaning]),
      ),
    ]),
  ]);

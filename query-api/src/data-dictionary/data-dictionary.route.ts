import { allowCompression, jsonResponse, parseQuery, rawResponse, type Route } from '@popsvc/http-kit/server';
import { allDatasets } from '@popsvc/read-models/datasets';
import { z } from 'zod';
import { DataDictionary, describeDatasets, renderDictionaryCsv } from './data-dictionary.ts';

const DictionaryQuery = z.strictObject({
  format: z.enum(['json', 'csv']).default('json').describe('`csv`: one row for each column of a report.'),
});

const dictionary = describeDatasets(allDatasets);
const csv = renderDictionaryCsv(dictionary);

export const dataDictionaryRoute = (): Route => ({
  method: 'get',
  path: '/api/v1/data-dictionary',
  summary: 'The columns of all reports: types, meanings, values and hierarchies.',
  operationId: 'getDataDictionary',
  access: 'reporting',
  examples: [{ name: 'json' }, { name: 'csv', query: { format: 'csv' } }],
  schemas: {
    query: DictionaryQuery,
    responses: { 200: DataDictionary },
    otherResponses: { 'text/csv; charset=utf-8': 'A row of names, then a row for each column of a report.' },
  },
  errorCodes: ['INVALID_PARAM'],
  handle({ query }) {
    const { format } = parseQuery(DictionaryQuery, query);
    if (format === 'csv') {
      const headers = { 'Content-Disposition': 'attachment; filename="data-dictionary.csv"' };
      return allowCompression(rawResponse(200, 'text/csv; charset=utf-8', csv, headers));
    }
    return allowCompression(
      jsonResponse(200, { status: true, message: 'data dictionary retrieved', data: dictionary }),
    );
  },
});

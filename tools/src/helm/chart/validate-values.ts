import { Ajv } from 'ajv';
import type { Chart } from './load-chart.ts';
import type { ValueMap } from '../template/values.ts';

/** Throws if the merged values do not match values.schema.json. Helm checks this before it renders, too. */
export const validateValues = ({ schema, name }: Pick<Chart, 'schema' | 'name'>, values: ValueMap): void => {
  const validate = new Ajv({ allErrors: true, strict: true, strictRequired: false, allowUnionTypes: true }).compile(
    schema,
  );
  if (validate(values)) return;
  const lines = (validate.errors ?? []).map(
    ({ instancePath, message = '', params }) =>
      `  ${instancePath.replaceAll('/', '.').slice(1) || 'values'}: ${message} ${JSON.stringify(params)}`,
  );
  throw new Error(`The values do not match the schema of the chart ${name}:\n${lines.join('\n')}`);
};

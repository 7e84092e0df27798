import { code, page, table } from './markdown.ts';
import { type Reader, readers, type Variable, variablesOf } from './variables.ts';

const standing = ({ required, standard, secret }: Variable): string => {
  const value = required ? 'required' : standard === undefined ? 'unset' : code(standard);
  return secret ? `${value}; secret` : value;
};

const section = (reader: Reader): readonly string[] => [
  `## ${reader.name}`,
  `Read in ${code(reader.source)}.`,
  table(
    ['Variable', 'Default', 'Meaning'],
    variablesOf(reader).map((variable) => [code(variable.name), standing(variable), variable.about]),
  ),
];

export const configurationPage = (): string =>
  page('Configuration', 'the zod schema each process reads its environment with', [
    'Every variable is read once, at the start; a wrong one stops the process with a message that names it. An empty variable counts as unset. Secrets are never printed or logged.',
    ...readers.flatMap(section),
  ]);

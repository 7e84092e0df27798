import {
  executeTemplate,
  isFunction,
  parseTemplates,
  TemplateError,
  type Value,
  type ValueMap,
} from '@popsvc/tools/helm';
import { expect } from 'chai';
import { parse } from 'yaml';
import { read } from '../architecture/tree.fixture.ts';

interface Example {
  readonly title: string;
  readonly template: string;
  readonly output?: string;
  readonly error?: boolean;
}

/** Templates with the results of Go's text/template, Sprig and Helm's functions. go-templates.go made the results. */
const { values, examples } = JSON.parse(read('test/data/helm/go-templates.json')) as {
  readonly values: ValueMap;
  readonly examples: readonly Example[];
};

const render = (text: string, data: Value = { Values: values }): string => {
  const templates = new Map(parseTemplates('example.yaml', text, isFunction).map((one) => [one.name, one]));
  return executeTemplate(templates, 'example.yaml', data);
};

describe('the renderer of Helm templates', () => {
  describe('gives the same result as Go', () => {
    for (const { title, template, output, error } of examples)
      it(title, () => {
        if (error) expect(() => render(template)).to.throw(TemplateError);
        // The representations of YAML differ, and the values must not.
        else if (title.startsWith('toYaml of'))
          expect(parse(render(template), { version: '1.1' })).to.deep.equal(parse(output!, { version: '1.1' }));
        else expect(render(template)).to.equal(output);
      });
  });

  describe('refuses what is outside of its subset, with file and line', () => {
    const refused: Readonly<Record<string, readonly [template: string, line: number, reason: string]>> = {
      'a missing value': ['a\n{{ .Values.missing }}', 2, 'nil cannot be printed'],
      'a map as text': ['{{ .Values.map }}', 1, 'a map cannot be printed'],
      'a list as text': ['{{ .Values.list }}', 1, 'a list cannot be printed'],
      'a number that Go prints with an exponent': ['\n\n{{ .Values.million }}', 3, 'with an exponent; use int64'],
      'such a number in quote': ['{{ .Values.million | quote }}', 1, 'with an exponent; use int64'],
      'a number with a fraction': ['{{ .Values.odd.float }}', 1, 'has a fraction'],
      'the keyword template': ['{{ template "a" }}', 1, '{{template}} is not supported'],
      'the keyword block': ['{{ block "a" . }}{{ end }}', 1, '{{block}} is not supported'],
      'the keyword break': ['{{ range .Values.list }}\n{{ break }}{{ end }}', 2, '{{break}} is not supported'],
      'else with': [
        '{{ with .Values.no }}\n{{ else with .Values.yes }}{{ end }}',
        2,
        'only {{else}} is supported here',
      ],
      'a function of Sprig that the chart does not use': [
        'a\n{{ upper "a" }}',
        2,
        'the function upper is not supported',
      ],
      'such a function in a branch that does not run': ['{{ if false }}\n{{ upper "a" }}{{ end }}', 2, 'upper'],
      'a verb of printf other than %s and %d': ['{{ printf "%v" "a" }}', 1, 'printf does not support %v'],
      'a verb of another type': ['{{ printf "%d" .Values.port }}', 1, 'cannot format a number of the values with %d'],
      'a hexadecimal number': ['{{ 0x10 }}', 1, 'unexpected'],
      'an escape that it does not know': ['{{ "\\u0041" }}', 1, 'unsupported escape'],
      'range over a number': ['{{ range 3 }}x{{ end }}', 1, 'range cannot iterate over an integer'],
      'a template that includes itself': [
        '{{ define "a" }}\n{{ include "a" . }}{{ end }}{{ include "a" . }}',
        2,
        'a includes itself',
      ],
    };
    for (const [title, [template, line, reason]] of Object.entries(refused))
      it(title, () => {
        expect(() => render(template))
          .to.throw(TemplateError, reason)
          .with.property('message')
          .that.matches(new RegExp(`^example\\.yaml:${line}: `));
      });
  });

  it('includes examples of output and of errors', () => {
    expect(examples.filter(({ output }) => output !== undefined)).to.have.length.greaterThan(50);
    expect(examples.filter(({ error }) => error)).to.have.length.greaterThan(20);
  });
});

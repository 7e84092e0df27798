import { expect } from 'chai';
import { configuredProcesses, describeVariables, pages } from '@popsvc/tools/reference-pages';
import { files, read } from './tree.fixture.ts';

describe('generated files', () => {
  for (const [path, content] of Object.entries(pages))
    it(`${path} is current`, async () => {
      expect(files).to.include(path);
      expect(read(path) === (await content()), `${path} is out of date: run npm run reference`).to.equal(true);
    });

  it('docs/reference contains only generated files', () => {
    const found = files.filter((path) => path.startsWith('docs/reference/'));
    expect(found.filter((path) => !(path in pages))).to.deep.equal([]);
  });

  it('every variable has a description', () => {
    const withoutDescription = configuredProcesses.flatMap((reader) =>
      describeVariables(reader).flatMap(({ name, about }) => (about === '' ? [`${reader.name}: ${name}`] : [])),
    );
    expect(withoutDescription).to.deep.equal([]);
  });

  it('every field of a registry file has a description', () => {
    const rows = read('docs/reference/registry.md')
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    expect(rows).to.have.length.greaterThan(60);
    expect(rows.filter((row) => /\|\s*\|$/.test(row))).to.deep.equal([]);
  });

  it('variables with passwords or tokens are declared as secrets', () => {
    const undeclared = configuredProcesses.flatMap((reader) =>
      describeVariables(reader).filter(
        ({ name, secret }) => /PASSWORD|TOKEN|SECRET|DATABASE_URL|EVENTSTORE_URL/.test(name) && !secret,
      ),
    );
    expect(undeclared.map(({ name }) => name)).to.deep.equal([]);
  });
});

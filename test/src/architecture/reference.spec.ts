import { expect } from 'chai';
import { readers, variablesOf, pages } from '@popsvc/tools/reference-pages';
import { files, read } from './tree.fixture.ts';

describe('generated files', () => {
  for (const [path, content] of Object.entries(pages))
    it(`${path} is what npm run reference writes`, async () => {
      expect(files).to.include(path);
      expect(read(path) === (await content()), `${path} is stale: npm run reference`).to.equal(true);
    });

  it('docs/reference holds nothing else', () => {
    const there = files.filter((path) => path.startsWith('docs/reference/'));
    expect(there.filter((path) => !(path in pages))).to.deep.equal([]);
  });

  it('every variable says what it is for', () => {
    const silent = readers.flatMap((reader) =>
      variablesOf(reader).flatMap(({ name, about }) => (about === '' ? [`${reader.name}: ${name}`] : [])),
    );
    expect(silent).to.deep.equal([]);
  });

  it('passwords, tokens and addresses that carry them are secrets', () => {
    const open = readers.flatMap((reader) =>
      variablesOf(reader).filter(
        ({ name, secret }) => /PASSWORD|TOKEN|SECRET|DATABASE_URL|EVENTSTORE_URL/.test(name) && !secret,
      ),
    );
    expect(open.map(({ name }) => name)).to.deep.equal([]);
  });
});

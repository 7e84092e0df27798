import { existsSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { filledNode } from './filled-node.fixture.ts';
import { connectTo, itsOwnNode, readAllOf, revisionsOf, someEvents } from './store.fixture.ts';

describe('event store: derived files', function () {
  const derived: [string, (path: string) => void][] = [
    ['lost', (path) => rmSync(path)],
    ['cut short', (path) => truncateSync(path, 40)],
    ['damaged', (path) => writeFileSync(path, readFileSync(path).fill(7, 50, 60))],
  ];
  for (const [how, harm] of derived) {
    itsOwnNode(`13. rebuilds from the log index files and the stream table that are ${how}`, async () => {
      const node = await filledNode({ EVENT_STORE_SEGMENT_BYTES: '8192' });
      const files = readdirSync(node.dir).filter((name) => /\.(index|table)$/.test(name));
      expect(files.length, 'something to harm').to.be.at.least(3);
      for (const name of files) harm(join(node.dir, name));
      await node.restart();
      const client = connectTo(node.url);
      const expected = Array.from({ length: 100 }, (_, n) => n);
      expect(revisionsOf(await readAllOf(client, 's'))).to.deep.equal(expected);
      await client.appendToStream('s', someEvents(1), { expectedRevision: 99n });
      for (const name of files) expect(existsSync(join(node.dir, name)), name).to.equal(true);
      await node.stop();
    });
  }
});

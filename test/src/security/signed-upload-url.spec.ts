import { randomUUID } from 'node:crypto';
import { Secret } from '@popsvc/platform/config';
import { createUploadUrls } from '@popsvc/platform/object-storage';
import { expect } from 'chai';

const path = '/popsvc/v1';
const addresses = (...secrets: readonly string[]) =>
  createUploadUrls({ secrets: secrets.map((text) => new Secret(text)), publicUrl: () => 'http://localhost', path });

/** All printable characters. */
const printable = Array.from({ length: 95 }, (_, code) => String.fromCharCode(code + 32));

describe('a signed upload URL', () => {
  const ours = addresses('k'.repeat(32));
  const given = async (
    network = 7,
    fileId = randomUUID(),
    format: 'csv' | 'ndjson' = 'csv',
    expiresAtMs = 1_800_000_000_000,
  ) =>
    (await ours.createTarget(`uploads/${network}/${fileId}`, { format, expiresAtMs })).url.slice(
      'http://localhost'.length,
    );
  let address: string;
  before(async () => (address = await given()));

  it('permits its upload', () => {
    const [, fileId] = /uploads\/7\/([0-9a-f-]+)/.exec(address)!;
    expect(ours.verifyUrl(address)).to.deep.equal({
      key: `uploads/7/${fileId}`,
      format: 'csv',
      expiresAtMs: 1_800_000_000_000,
    });
  });

  it('is rejected with any bit of its signature changed', () => {
    const [head = '', signature = ''] = address.split('&signature=');
    const bytes = Buffer.from(signature, 'base64url');
    expect(bytes.length).to.equal(32);
    for (let bit = 0; bit < 256; bit += 1) {
      const turned = Buffer.from(bytes);
      turned[bit >> 3]! ^= 1 << (bit & 7);
      expect(ours.verifyUrl(`${head}&signature=${turned.toString('base64url')}`), `bit ${bit}`).to.equal(undefined);
    }
  });

  it('is rejected with any character changed, omitted or added', () => {
    for (let at = 0; at <= address.length; at += 1) {
      const [left, right] = [address.slice(0, at), address.slice(at)];
      for (const character of printable) {
        const changed = left + character + right.slice(1);
        if (changed !== address) expect(ours.verifyUrl(changed), changed).to.equal(undefined);
        expect(ours.verifyUrl(left + character + right), 'one more').to.equal(undefined);
      }
      if (right !== '') expect(ours.verifyUrl(left + right.slice(1)), 'one less').to.equal(undefined);
    }
  });

  it('is rejected with a part of another valid URL', async () => {
    const others = await Promise.all([
      given(8),
      given(7, randomUUID()),
      given(7, undefined, 'ndjson'),
      given(7, undefined, 'csv', 1_900_000_000_000),
    ]);
    const partsOf = (url: string) =>
      /^(.*uploads\/\d+)(\/[^?]+)(\?format=\w+)(&expires=\d+)(&signature=.*)$/.exec(url)!.slice(1);
    const own = partsOf(address);
    for (const other of others.map(partsOf))
      for (let which = 1; which < 31; which += 1) {
        const mixed = own.map((part, index) => ((which >> index) & 1 ? other[index] : part)).join('');
        if (![address, ...others].includes(mixed)) expect(ours.verifyUrl(mixed), mixed).to.equal(undefined);
      }
  });

  it('is rejected if signed with an unknown key, and accepted if signed with a configured earlier key', () => {
    expect(addresses('o'.repeat(32)).verifyUrl(address)).to.equal(undefined);
    expect(addresses('n'.repeat(32), 'k'.repeat(32)).verifyUrl(address)).to.deep.equal(ours.verifyUrl(address));
  });
});

import { expect } from 'chai';
import fc from 'fast-check';
import { ProtobufReader, ProtobufWriter } from '@popsvc/embedded/event-store/protobuf';

/** The codec is own code because reads serve stored bytes. Its numbers are tested with every size of varint. */
describe('event store: protobuf codec', () => {
  it('reads every number as written', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.nat(), (big, small) => {
        const reader = new ProtobufReader(new ProtobufWriter().uint(1, big).uint(2, small).finish());
        expect([reader.tag(), reader.bigint(), reader.tag(), reader.number(), reader.tag()]).to.deep.equal([
          8,
          big,
          16,
          small,
          0,
        ]);
      }),
    );
  });

  it('writes numbers up to 2^53 the same from either type', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (value) => {
        const bytes = new ProtobufWriter().uint(1, value).finish();
        expect(bytes.equals(new ProtobufWriter().uint(1, BigInt(value)).finish())).to.equal(true);
      }),
    );
  });

  it('skips unknown fields and reads the fields between them', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.uint8Array({ maxLength: 300 }),
        fc.nat(),
        (text, bytes, number) => {
          const writer = new ProtobufWriter()
            .bytes(9, bytes)
            .message(3, (inner) => inner.text(1, text))
            .uint(7, number);
          const reader = new ProtobufReader(writer.finish());
          const first = reader.tag();
          reader.skip(first);
          reader.tag();
          const inner = reader.message();
          inner.tag();
          expect(inner.text()).to.equal(text);
          reader.skip(reader.tag());
          expect(reader.tag()).to.equal(0);
        },
      ),
    );
  });

  it('throws for bytes truncated anywhere', () => {
    const whole = new ProtobufWriter()
      .message(1, (inner) => inner.text(1, 'a longer text').uint(2, 2n ** 40n))
      .finish();
    const readAll = (bytes: Buffer): void => {
      const reader = new ProtobufReader(bytes);
      for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
        const inner = reader.message();
        for (let field = inner.tag(); field !== 0; field = inner.tag()) inner.skip(field);
      }
    };
    readAll(whole);
    for (let length = 1; length < whole.length; length += 1) {
      expect(() => readAll(whole.subarray(0, length)), `${length} bytes`).to.throw(RangeError);
    }
  });
});

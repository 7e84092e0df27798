/** A buffer that grows; numbers are written little-endian, as RowBinary has them. */
export class Bytes {
  #buffer = Buffer.allocUnsafe(1 << 16);
  length = 0;

  reserve(more: number): Buffer {
    const needed = this.length + more;
    if (needed > this.#buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2));
      this.#buffer.copy(grown, 0, 0, this.length);
      this.#buffer = grown;
    }
    return this.#buffer;
  }

  taken(): Buffer {
    return this.#buffer.subarray(0, this.length);
  }
}

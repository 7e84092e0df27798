/** There is no object of this key. */
export class ObjectNotFound extends Error {
  override readonly name = 'NoSuchObject';
}

/** More bytes came than are accepted; nothing of them is kept. */
export class ObjectTooLarge extends Error {
  override readonly name = 'ObjectTooLarge';
}

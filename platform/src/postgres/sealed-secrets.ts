import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { OperatorError } from '../runtime/operator-error.ts';

export interface SealedRow {
  readonly table: string;
  readonly id: string;
}

export class SealedSecretError extends OperatorError {
  override readonly name = 'SealedSecretError';
}

export interface SecretSealer {
  /** Returns base64 that can be opened for this row only. */
  seal(row: SealedRow, secret: string): string;
  /** Throws a SealedSecretError if the secret is damaged, is of another row, or was sealed with another key or by a newer release. */
  open(row: SealedRow, sealed: string): string;
}

/** A sealed secret consists of version, key id, nonce, ciphertext and tag. */
const version = 1;
const [keyIdBytes, nonceBytes, tagBytes] = [4, 12, 16];
const headerBytes = 1 + keyIdBytes + nonceBytes;

const derive = (key: string, purpose: string, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', key, '', `popsvc sealed secrets: ${purpose}`, bytes));

export const createSecretSealer = (encryptionKey: string): SecretSealer => {
  const key = derive(encryptionKey, 'key', 32);
  // GCM does not distinguish a wrong key from damage. The key id does, because the two need different actions of the operator.
  const keyId = derive(encryptionKey, 'key id', keyIdBytes);
  const options = { authTagLength: tagBytes };
  const additionalData = ({ table, id }: SealedRow) => Buffer.from(JSON.stringify([version, table, id]));
  return {
    seal(row, secret) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce, options).setAAD(additionalData(row));
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.of(version), keyId, nonce, text, cipher.getAuthTag()]).toString('base64');
    },
    open(row, sealed) {
      const place = `the row ${row.id} of ${row.table}`;
      const damaged = (cause?: unknown) =>
        new SealedSecretError(
          `the sealed secret in ${place} is damaged or was copied from another row: restore the row from a backup, or rotate the secret`,
          { cause },
        );
      const bytes = Buffer.from(sealed, 'base64');
      if (bytes.length < headerBytes + tagBytes) throw damaged();
      if (bytes[0] !== version)
        throw new SealedSecretError(
          `the secret in ${place} is sealed in format ${bytes[0]}, which this release does not know: ` +
            'it is damaged, or a newer release of popsvc sealed it; start that release',
        );
      if (!bytes.subarray(1, 1 + keyIdBytes).equals(keyId))
        throw new SealedSecretError(
          `the encryption key differs from the one that sealed the secret in ${place}: ` +
            'restore POPSVC_ENCRYPTION_KEY, or rotate the secret',
        );
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(1 + keyIdBytes, headerBytes), options)
        .setAAD(additionalData(row))
        .setAuthTag(bytes.subarray(-tagBytes));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(headerBytes, -tagBytes)), decipher.final()]).toString();
      } catch (error) {
        throw damaged(error);
      }
    },
  };
};
